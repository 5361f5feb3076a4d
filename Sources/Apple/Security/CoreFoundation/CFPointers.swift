internal import Foundation

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
