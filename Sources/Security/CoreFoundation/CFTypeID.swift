public import Foundation

/// The numbers of the classes. Apple's differ from process to process too; only comparing them means anything.
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

/// The number of an object's class: `CFGetTypeID(result) == SecKeyGetTypeID()` tells what a search returned.
///
/// Mutable and immutable classes share a number; truth values have another one than numbers.
@discardableResult
public func CFGetTypeID(_ object: CFTypeRef!) -> CFTypeID { CFClass(object).rawValue }

/// The number of null's class.
@discardableResult
public func CFNullGetTypeID() -> CFTypeID { CFClass.null.rawValue }

/// The number of the class of truth values.
@discardableResult
public func CFBooleanGetTypeID() -> CFTypeID { CFClass.boolean.rawValue }

/// The number of the class of numbers.
@discardableResult
public func CFNumberGetTypeID() -> CFTypeID { CFClass.number.rawValue }

/// The number of the class of strings.
@discardableResult
public func CFStringGetTypeID() -> CFTypeID { CFClass.string.rawValue }

/// The number of the class of byte sequences.
@discardableResult
public func CFDataGetTypeID() -> CFTypeID { CFClass.data.rawValue }

/// The number of the class of dates.
@discardableResult
public func CFDateGetTypeID() -> CFTypeID { CFClass.date.rawValue }

/// The number of the class of URLs.
@discardableResult
public func CFURLGetTypeID() -> CFTypeID { CFClass.url.rawValue }

/// The number of the class of arrays.
@discardableResult
public func CFArrayGetTypeID() -> CFTypeID { CFClass.array.rawValue }

/// The number of the class of dictionaries.
@discardableResult
public func CFDictionaryGetTypeID() -> CFTypeID { CFClass.dictionary.rawValue }

/// The number of the class of sets.
@discardableResult
public func CFSetGetTypeID() -> CFTypeID { CFClass.set.rawValue }

/// The number of the class of errors.
@discardableResult
public func CFErrorGetTypeID() -> CFTypeID { CFClass.error.rawValue }

/// The number of the class of allocators.
@discardableResult
public func CFAllocatorGetTypeID() -> CFTypeID { CFClass.allocator.rawValue }

/// True where both objects are of one class and equal; a truth value equals no number.
@discardableResult
public func CFEqual(_ first: CFTypeRef!, _ second: CFTypeRef!) -> Bool {
  guard let first, let second else { return first == nil && second == nil }
  if first === second { return true }
  guard CFClass(first) == CFClass(second), let first = first as? NSObject else { return false }
  return first.isEqual(second)
}

/// A hash that equal objects share.
@discardableResult
public func CFHash(_ object: CFTypeRef!) -> UInt {
  UInt(bitPattern: (object as? NSObject)?.hash ?? 0)
}

/// What the object says of itself.
@discardableResult
public func CFCopyDescription(_ object: CFTypeRef!) -> CFString! {
  NSString(string: (object as? NSObject)?.description ?? "(null)")
}
