public import Foundation

/// How an array keeps its values. Foundation's objects are retained, whatever is given here.
public struct CFArrayCallBacks: Sendable {
  /// The layout's version.
  public var version: CFIndex = 0
  /// The only version there is.
  public init() {}
}

/// Values are objects.
public let kCFTypeArrayCallBacks = CFArrayCallBacks()

/// An array of `count` values, each a pointer to an object.
@discardableResult
public func CFArrayCreate(
  _ allocator: CFAllocator!, _ values: UnsafeMutablePointer<UnsafeRawPointer?>!, _ count: CFIndex,
  _ callBacks: UnsafePointer<CFArrayCallBacks>!
) -> CFArray! {
  guard count > 0 else { return NSArray() }
  guard let values = unsafe values else { return nil }
  return NSArray(array: (0..<count).compactMap { unsafe object(at: values[$0]) })
}

/// An empty array that can be changed; `capacity` is a hint.
@discardableResult
public func CFArrayCreateMutable(
  _ allocator: CFAllocator!, _ capacity: CFIndex, _ callBacks: UnsafePointer<CFArrayCallBacks>!
) -> CFMutableArray! { NSMutableArray() }

/// How many values there are.
@discardableResult
public func CFArrayGetCount(_ array: CFArray!) -> CFIndex { array?.count ?? 0 }

/// The value at a position, a pointer to an object; nil outside of the array. See ``CFDictionaryGetValue(_:_:)`` for
/// how long it lives.
@discardableResult
public func CFArrayGetValueAtIndex(_ array: CFArray!, _ index: CFIndex) -> UnsafeRawPointer! {
  guard let array, (0..<array.count).contains(index) else { return nil }
  return unsafe pointer(toElement: array.object(at: index))
}

/// Adds a value, a pointer to an object, at the end.
public func CFArrayAppendValue(_ array: CFMutableArray!, _ value: UnsafeRawPointer!) {
  guard let value = unsafe object(at: value) else { return }
  array?.add(value)
}
