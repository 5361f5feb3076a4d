@_exported public import Foundation

// Apple's names for Foundation's classes. Existing code casts between `[String: Any]` and `CFDictionary`, which works
// only if `CFDictionary` is the class that Foundation bridges to.

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
/// An immutable data object.
public typealias CFData = NSData
/// A mutable data object.
public typealias CFMutableData = NSMutableData
/// A date.
public typealias CFDate = NSDate
/// The null object.
public typealias CFNull = NSNull
/// A URL.
public typealias CFURL = NSURL
/// A number.
public typealias CFNumber = NSNumber
/// A Boolean: a number that was created from `true` or `false`.
public typealias CFBoolean = NSNumber
/// An error.
public typealias CFError = NSError
/// Any object.
public typealias CFTypeRef = AnyObject
/// A type identifier. See ``CFGetTypeID(_:)``.
public typealias CFTypeID = UInt
/// A set of options.
public typealias CFOptionFlags = UInt
/// A count or a position.
public typealias CFIndex = Int
/// An error code of Apple's.
public typealias OSStatus = Int32
/// A number that encodes four characters.
public typealias OSType = UInt32
/// A number that encodes four characters.
public typealias FourCharCode = UInt32
/// The status of a call that succeeded.
public let noErr: OSStatus = 0
