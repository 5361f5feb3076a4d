@_exported public import Foundation

// Apple's names for Foundation's classes: existing code passes `[String: Any]` as `CFDictionary` and casts what comes
// back, which works only where both are the same class.

/// An immutable string.
public typealias CFString = NSString
/// A mutable string.
public typealias CFMutableString = NSMutableString
/// An immutable dictionary.
public typealias CFDictionary = NSDictionary
/// A mutable dictionary.
public typealias CFMutableDictionary = NSMutableDictionary
/// An immutable array.
public typealias CFArray = NSArray
/// A mutable array.
public typealias CFMutableArray = NSMutableArray
/// An immutable set.
public typealias CFSet = NSSet
/// Immutable bytes.
public typealias CFData = NSData
/// Mutable bytes.
public typealias CFMutableData = NSMutableData
/// A point in time.
public typealias CFDate = NSDate
/// The object that stands for nothing.
public typealias CFNull = NSNull
/// A URL.
public typealias CFURL = NSURL
/// A number.
public typealias CFNumber = NSNumber
/// A truth value: the numbers that were made from `true` and `false`.
public typealias CFBoolean = NSNumber
/// An error.
public typealias CFError = NSError
/// Any object.
public typealias CFTypeRef = AnyObject
/// A class's number, see ``CFGetTypeID(_:)``.
public typealias CFTypeID = UInt
/// A set of options.
public typealias CFOptionFlags = UInt
/// A count or a position.
public typealias CFIndex = Int
/// Apple's error numbers.
public typealias OSStatus = Int32
/// Four characters in a number.
public typealias OSType = UInt32
/// Four characters in a number.
public typealias FourCharCode = UInt32
/// Success, as `OSStatus`.
public let noErr: OSStatus = 0
