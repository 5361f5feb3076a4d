public import Foundation

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
