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
