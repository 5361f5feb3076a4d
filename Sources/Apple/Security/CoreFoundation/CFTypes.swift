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

/// Returns the type identifier of an object. `CFGetTypeID(result) == SecKeyGetTypeID()` checks whether a result is a
/// key.
///
/// Mutable and immutable classes share an identifier. Booleans and numbers have different ones.
@discardableResult
public func CFGetTypeID(_ object: CFTypeRef!) -> CFTypeID { CFClass(object).rawValue }

/// Returns the type identifier of `CFNull`.
@discardableResult
public func CFNullGetTypeID() -> CFTypeID { CFClass.null.rawValue }

/// Returns the type identifier of `CFBoolean`.
@discardableResult
public func CFBooleanGetTypeID() -> CFTypeID { CFClass.boolean.rawValue }

/// Returns the type identifier of `CFNumber`.
@discardableResult
public func CFNumberGetTypeID() -> CFTypeID { CFClass.number.rawValue }

/// Returns the type identifier of `CFString`.
@discardableResult
public func CFStringGetTypeID() -> CFTypeID { CFClass.string.rawValue }

/// Returns the type identifier of `CFData`.
@discardableResult
public func CFDataGetTypeID() -> CFTypeID { CFClass.data.rawValue }

/// Returns the type identifier of `CFDate`.
@discardableResult
public func CFDateGetTypeID() -> CFTypeID { CFClass.date.rawValue }

/// Returns the type identifier of `CFURL`.
@discardableResult
public func CFURLGetTypeID() -> CFTypeID { CFClass.url.rawValue }

/// Returns the type identifier of `CFArray`.
@discardableResult
public func CFArrayGetTypeID() -> CFTypeID { CFClass.array.rawValue }

/// Returns the type identifier of `CFDictionary`.
@discardableResult
public func CFDictionaryGetTypeID() -> CFTypeID { CFClass.dictionary.rawValue }

/// Returns the type identifier of `CFSet`.
@discardableResult
public func CFSetGetTypeID() -> CFTypeID { CFClass.set.rawValue }

/// Returns the type identifier of `CFError`.
@discardableResult
public func CFErrorGetTypeID() -> CFTypeID { CFClass.error.rawValue }

/// Returns the type identifier of `CFAllocator`.
@discardableResult
public func CFAllocatorGetTypeID() -> CFTypeID { CFClass.allocator.rawValue }

/// Returns whether both objects are of the same class and equal. A Boolean is never equal to a number.
@discardableResult
public func CFEqual(_ first: CFTypeRef!, _ second: CFTypeRef!) -> Bool {
  guard let first, let second else { return first == nil && second == nil }
  if first === second { return true }
  guard CFClass(first) == CFClass(second), let first = first as? NSObject else { return false }
  return first.isEqual(second)
}

/// Returns a hash code, which is the same for equal objects.
@discardableResult
public func CFHash(_ object: CFTypeRef!) -> UInt {
  UInt(bitPattern: (object as? NSObject)?.hash ?? 0)
}

/// Returns the description of an object.
@discardableResult
public func CFCopyDescription(_ object: CFTypeRef!) -> CFString! {
  NSString(string: (object as? NSObject)?.description ?? "(null)")
}

/// The type identifiers of the classes. Not Apple's values, which differ between processes too.
enum CFClass: CFTypeID {
  case other = 1
  case null, boolean, number, string, data, date, url, array, dictionary, set, error, allocator
  case accessControl, key, certificate, identity, trust, policy

  init(_ object: AnyObject?) {
    self =
      switch object {
      case let number as NSNumber: number.isBoolean ? .boolean : .number
      case is NSString: .string
      case is NSData: .data
      case is NSDictionary: .dictionary
      case is NSArray: .array
      case is NSSet: .set
      case is NSDate: .date
      case is NSURL: .url
      case is NSNull: .null
      case is NSError: .error
      case is CFAllocator: .allocator
      case is SecAccessControl: .accessControl
      case is SecKey: .key
      case is SecCertificate: .certificate
      case is SecIdentity: .identity
      case is SecTrust: .trust
      case is SecPolicy: .policy
      default: .other
      }
  }
}

/// True, as an object.
public let kCFBooleanTrue: CFBoolean! = NSNumber(value: true)
/// False, as an object.
public let kCFBooleanFalse: CFBoolean! = NSNumber(value: false)
/// The null object.
public let kCFNull: CFNull! = NSNull()

/// Returns the value of a Boolean object; false for nil.
@discardableResult
public func CFBooleanGetValue(_ boolean: CFBoolean!) -> Bool {
  boolean?.boolValue ?? false
}

extension NSNumber {
  /// True if the number was created from a `Bool`: the Keychain distinguishes `true` from 1.
  var isBoolean: Bool { unsafe objCType.pointee == CChar(UInt8(ascii: "c")) }
}

/// An allocator of Core Foundation. Swift allocates all objects, so only the functions that take over memory of the
/// caller use one: ``CFDataCreateWithBytesNoCopy(_:_:_:_:)``.
public final class CFAllocator: NSObject {
  override fileprivate init() {}
}

// Safe to read on any thread: the objects have no state.

/// The default allocator.
@safe nonisolated(unsafe) public let kCFAllocatorDefault: CFAllocator! = CFAllocator()
/// The default allocator of the system.
@safe nonisolated(unsafe) public let kCFAllocatorSystemDefault: CFAllocator! = CFAllocator()
/// The allocator that uses `malloc`.
@safe nonisolated(unsafe) public let kCFAllocatorMalloc: CFAllocator! = CFAllocator()
/// The allocator that neither allocates nor frees memory.
@safe nonisolated(unsafe) public let kCFAllocatorNull: CFAllocator! = CFAllocator()

// Safe to read on any thread: the string is immutable.

/// The key of the bundle identifier in an `Info.plist`, for `Bundle.main.infoDictionary`.
@safe nonisolated(unsafe) public let kCFBundleIdentifierKey: CFString! = "CFBundleIdentifier"
