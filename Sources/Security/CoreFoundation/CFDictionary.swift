public import Foundation

/// How a dictionary keeps its keys. Foundation's objects are retained and compared by value, whatever is given here.
public struct CFDictionaryKeyCallBacks: Sendable {
  /// The layout's version.
  public var version: CFIndex = 0
  /// The only version there is.
  public init() {}
}

/// How a dictionary keeps its values. Foundation's objects are retained, whatever is given here.
public struct CFDictionaryValueCallBacks: Sendable {
  /// The layout's version.
  public var version: CFIndex = 0
  /// The only version there is.
  public init() {}
}

/// Keys are objects.
public let kCFTypeDictionaryKeyCallBacks = CFDictionaryKeyCallBacks()
/// Keys are objects, copied.
public let kCFCopyStringDictionaryKeyCallBacks = CFDictionaryKeyCallBacks()
/// Values are objects.
public let kCFTypeDictionaryValueCallBacks = CFDictionaryValueCallBacks()

/// A dictionary of `count` keys and values, each a pointer to an object.
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

/// An empty dictionary that can be changed; `capacity` is a hint.
@discardableResult
public func CFDictionaryCreateMutable(
  _ allocator: CFAllocator!, _ capacity: CFIndex, _ keyCallBacks: UnsafePointer<CFDictionaryKeyCallBacks>!,
  _ valueCallBacks: UnsafePointer<CFDictionaryValueCallBacks>!
) -> CFMutableDictionary! { NSMutableDictionary() }

/// A copy that can be changed.
@discardableResult
public func CFDictionaryCreateMutableCopy(
  _ allocator: CFAllocator!, _ capacity: CFIndex, _ dictionary: CFDictionary!
) -> CFMutableDictionary! {
  dictionary?.mutableCopy() as? NSMutableDictionary
}

/// How many keys there are.
@discardableResult
public func CFDictionaryGetCount(_ dictionary: CFDictionary!) -> CFIndex { dictionary?.count ?? 0 }

/// True where the dictionary has the key, a pointer to an object.
@discardableResult
public func CFDictionaryContainsKey(_ dictionary: CFDictionary!, _ key: UnsafeRawPointer!) -> Bool {
  guard let dictionary, let key = unsafe object(at: key) else { return false }
  return dictionary.object(forKey: key) != nil
}

/// The value of a key, both pointers to objects; nil where there is none.
///
/// Foundation on Linux hands out strings, bytes and numbers as new objects each time. Such a one has no owner whose
/// life the pointer could share, so it lives on; other objects live as long as the dictionary.
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

/// Sets the value of a key that the dictionary does not have, both pointers to objects.
public func CFDictionaryAddValue(
  _ dictionary: CFMutableDictionary!, _ key: UnsafeRawPointer!, _ value: UnsafeRawPointer!
) {
  guard unsafe !CFDictionaryContainsKey(dictionary, key) else { return }
  unsafe CFDictionarySetValue(dictionary, key, value)
}

/// Takes a key, a pointer to an object, and its value away.
public func CFDictionaryRemoveValue(_ dictionary: CFMutableDictionary!, _ key: UnsafeRawPointer!) {
  guard let key = unsafe object(at: key) else { return }
  dictionary?.removeObject(forKey: key)
}

/// The object that a pointer from Apple's C interface points at.
func object(at pointer: UnsafeRawPointer?) -> NSObject? {
  guard let pointer = unsafe pointer else { return nil }
  return unsafe Unmanaged<NSObject>.fromOpaque(pointer).takeUnretainedValue()
}

/// A pointer to an element of a collection, which the collection owns unless it was made for this call.
func pointer(toElement element: Any) -> UnsafeRawPointer? {
  if type(of: element) is AnyClass {
    return unsafe UnsafeRawPointer(Unmanaged.passUnretained(element as AnyObject).toOpaque())
  }
  return unsafe UnsafeRawPointer(Unmanaged.passRetained(element as AnyObject).toOpaque())
}
