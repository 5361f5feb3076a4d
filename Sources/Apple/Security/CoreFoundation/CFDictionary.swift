public import Foundation

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
