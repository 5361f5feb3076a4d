public import Foundation

/// Creates an array of `count` values, each a pointer to an object.
@discardableResult
public func CFArrayCreate(
  _ allocator: CFAllocator!, _ values: UnsafeMutablePointer<UnsafeRawPointer?>!, _ count: CFIndex,
  _ callBacks: UnsafePointer<CFArrayCallBacks>!
) -> CFArray! {
  guard count > 0 else { return NSArray() }
  guard let values = unsafe values else { return nil }
  return NSArray(array: (0..<count).compactMap { unsafe object(at: values[$0]) })
}

/// Creates an empty mutable array. `capacity` is ignored.
@discardableResult
public func CFArrayCreateMutable(
  _ allocator: CFAllocator!, _ capacity: CFIndex, _ callBacks: UnsafePointer<CFArrayCallBacks>!
) -> CFMutableArray! { NSMutableArray() }

/// Returns the number of values.
@discardableResult
public func CFArrayGetCount(_ array: CFArray!) -> CFIndex { array?.count ?? 0 }

/// Returns the value at a position, as a pointer to an object; nil if the position is out of bounds.
///
/// The lifetime of the object is described at ``CFDictionaryGetValue(_:_:)``.
@discardableResult
public func CFArrayGetValueAtIndex(_ array: CFArray!, _ index: CFIndex) -> UnsafeRawPointer! {
  guard let array, (0..<array.count).contains(index) else { return nil }
  return unsafe pointer(toElement: array.object(at: index))
}

/// Appends a value, a pointer to an object.
public func CFArrayAppendValue(_ array: CFMutableArray!, _ value: UnsafeRawPointer!) {
  guard let value = unsafe object(at: value) else { return }
  array?.add(value)
}

/// The callbacks of an array. Ignored: Foundation retains the values and compares them by value.
public struct CFArrayCallBacks: Sendable {
  /// The version of the structure.
  public var version: CFIndex = 0
  /// Creates a structure of version 0.
  public init() {}
}

/// The callbacks for values that are objects.
public let kCFTypeArrayCallBacks = CFArrayCallBacks()

/// Creates a dictionary of `count` keys and values, each a pointer to an object.
@discardableResult
public func CFDictionaryCreate(
  _ allocator: CFAllocator!, _ keys: UnsafeMutablePointer<UnsafeRawPointer?>!,
  _ values: UnsafeMutablePointer<UnsafeRawPointer?>!, _ count: CFIndex,
  _ keyCallBacks: UnsafePointer<CFDictionaryKeyCallBacks>!,
  _ valueCallBacks: UnsafePointer<CFDictionaryValueCallBacks>!
) -> CFDictionary! {
  let dictionary = NSMutableDictionary()
  guard count > 0 else { return NSDictionary() }
  guard let keys = unsafe keys, let values = unsafe values else { return nil }
  for index in 0..<count {
    unsafe CFDictionarySetValue(dictionary, keys[index], values[index])
  }
  return dictionary.copy() as? NSDictionary
}

/// Creates an empty mutable dictionary. `capacity` is ignored.
@discardableResult
public func CFDictionaryCreateMutable(
  _ allocator: CFAllocator!, _ capacity: CFIndex, _ keyCallBacks: UnsafePointer<CFDictionaryKeyCallBacks>!,
  _ valueCallBacks: UnsafePointer<CFDictionaryValueCallBacks>!
) -> CFMutableDictionary! { NSMutableDictionary() }

/// Creates a mutable copy.
@discardableResult
public func CFDictionaryCreateMutableCopy(
  _ allocator: CFAllocator!, _ capacity: CFIndex, _ dictionary: CFDictionary!
) -> CFMutableDictionary! {
  dictionary?.mutableCopy() as? NSMutableDictionary
}

/// Returns the number of keys.
@discardableResult
public func CFDictionaryGetCount(_ dictionary: CFDictionary!) -> CFIndex { dictionary?.count ?? 0 }

/// Returns whether the dictionary contains a key, a pointer to an object.
@discardableResult
public func CFDictionaryContainsKey(_ dictionary: CFDictionary!, _ key: UnsafeRawPointer!) -> Bool {
  guard let dictionary, let key = unsafe object(at: key) else { return false }
  return dictionary.object(forKey: key) != nil
}

/// Returns the value of a key, both pointers to objects; nil if the dictionary does not contain the key.
///
/// Foundation on Linux returns strings, data and numbers as a new object for each access. Such an object has no owner,
/// so it is never released. Other objects are valid as long as the dictionary is.
@discardableResult
public func CFDictionaryGetValue(_ dictionary: CFDictionary!, _ key: UnsafeRawPointer!) -> UnsafeRawPointer! {
  guard let key = unsafe object(at: key), let value = dictionary?.object(forKey: key) else { return nil }
  return unsafe pointer(toElement: value)
}

/// Sets the value of a key, both pointers to objects.
public func CFDictionarySetValue(
  _ dictionary: CFMutableDictionary!, _ key: UnsafeRawPointer!, _ value: UnsafeRawPointer!
) {
  guard let key = unsafe object(at: key) as? any NSCopying, let value = unsafe object(at: value) else { return }
  dictionary?.setObject(value, forKey: key)
}

/// Sets the value of a key unless the dictionary contains the key, both pointers to objects.
public func CFDictionaryAddValue(
  _ dictionary: CFMutableDictionary!, _ key: UnsafeRawPointer!, _ value: UnsafeRawPointer!
) {
  guard unsafe !CFDictionaryContainsKey(dictionary, key) else { return }
  unsafe CFDictionarySetValue(dictionary, key, value)
}

/// Removes a key, a pointer to an object, and its value.
public func CFDictionaryRemoveValue(_ dictionary: CFMutableDictionary!, _ key: UnsafeRawPointer!) {
  guard let key = unsafe object(at: key) else { return }
  dictionary?.removeObject(forKey: key)
}

/// The callbacks of the keys of a dictionary. Ignored: Foundation retains the keys and compares them by value.
public struct CFDictionaryKeyCallBacks: Sendable {
  /// The version of the structure.
  public var version: CFIndex = 0
  /// Creates a structure of version 0.
  public init() {}
}

/// The callbacks for keys that are objects.
public let kCFTypeDictionaryKeyCallBacks = CFDictionaryKeyCallBacks()
/// The callbacks for keys that are copied strings.
public let kCFCopyStringDictionaryKeyCallBacks = CFDictionaryKeyCallBacks()

/// The callbacks of the values of a dictionary. Ignored: Foundation retains the values and compares them by value.
public struct CFDictionaryValueCallBacks: Sendable {
  /// The version of the structure.
  public var version: CFIndex = 0
  /// Creates a structure of version 0.
  public init() {}
}

/// The callbacks for values that are objects.
public let kCFTypeDictionaryValueCallBacks = CFDictionaryValueCallBacks()

// Pointers to objects, as Core Foundation's C functions have them.

/// Returns the object that a pointer refers to.
func object(at pointer: UnsafeRawPointer?) -> NSObject? {
  guard let pointer = unsafe pointer else { return nil }
  return unsafe Unmanaged<NSObject>.fromOpaque(pointer).takeUnretainedValue()
}

/// Returns a pointer to an element of a collection.
///
/// The collection keeps the object alive if it stores an object. Foundation bridges values of Swift types to a new
/// object for each call, which nothing else retains: the pointer leaks such an object.
func pointer(toElement element: Any) -> UnsafeRawPointer? {
  if type(of: element) is AnyClass {
    return unsafe UnsafeRawPointer(Unmanaged.passUnretained(element as AnyObject).toOpaque())
  }
  return unsafe UnsafeRawPointer(Unmanaged.passRetained(element as AnyObject).toOpaque())
}

// Two methods that Foundation has only on Apple's systems.

extension NSMutableDictionary {
  /// Sets the value of a key.
  public func setObject(_ object: Any, forKey key: any NSCopying) {
    guard let key = key as? AnyHashable else { return }
    setObject(object, forKey: key)
  }

  /// Sets the value of a key; nil removes the key.
  public func setValue(_ value: Any?, forKey key: String) {
    if let value {
      setObject(value, forKey: key as AnyHashable)
    } else {
      removeObject(forKey: key)
    }
  }
}

/// Makes an `NSString` equal to the `String` with the same characters as an `AnyHashable`, as on Apple's systems.
///
/// Without it, `[AnyHashable: Any]` does not find under `kSecClass` a value that was stored under `kSecClass as
/// String`. The protocol is an underscored one of the standard library; a test verifies that it still works.
extension NSString: @retroactive _HasCustomAnyHashableRepresentation {
  /// Returns the string as a `String`.
  public func _toCustomAnyHashable() -> AnyHashable? { AnyHashable(String(self)) }
}
