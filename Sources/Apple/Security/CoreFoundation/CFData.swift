public import Foundation

/// Creates an object with a copy of `length` bytes; nil if the length is negative, or `bytes` is nil and it is not 0.
@discardableResult
public func CFDataCreate(
  _ allocator: CFAllocator!, _ bytes: UnsafePointer<UInt8>!, _ length: CFIndex
) -> CFData! {
  guard length > 0 else { return length == 0 ? NSData() : nil }
  guard let bytes = unsafe bytes else { return nil }
  return unsafe NSData(bytes: bytes, length: length)
}

/// Creates an object that uses `length` bytes of the caller without copying them.
///
/// - Parameters:
///   - allocator: Ignored.
///   - bytes: The bytes, which must not change as long as the object exists. If `bytesDeallocator` is not
///     `kCFAllocatorNull`, they must be the start of memory from `malloc`, which then belongs to the object.
///   - length: The number of bytes.
///   - bytesDeallocator: `kCFAllocatorNull` if the caller frees the bytes, after the last reference to the object. With
///     any other allocator, or nil, the object frees them by `free`.
/// - Returns: The object. Nil if the length is negative, or `bytes` is nil and it is not 0: the bytes then still belong
///   to the caller.
@discardableResult
public func CFDataCreateWithBytesNoCopy(
  _ allocator: CFAllocator!, _ bytes: UnsafePointer<UInt8>!, _ length: CFIndex, _ bytesDeallocator: CFAllocator!
) -> CFData! {
  guard let bytes = unsafe bytes else { return length == 0 ? NSData() : nil }
  guard length >= 0 else { return nil }
  return unsafe NSData(
    bytesNoCopy: UnsafeMutableRawPointer(mutating: bytes), length: length,
    freeWhenDone: bytesDeallocator !== kCFAllocatorNull)
}

/// Creates an empty mutable object. `capacity` is ignored.
@discardableResult
public func CFDataCreateMutable(_ allocator: CFAllocator!, _ capacity: CFIndex) -> CFMutableData! { NSMutableData() }

/// Creates an immutable copy.
@discardableResult
public func CFDataCreateCopy(_ allocator: CFAllocator!, _ data: CFData!) -> CFData! {
  data.map { NSData(data: Data(referencing: $0)) }
}

/// Returns the number of bytes.
@discardableResult
public func CFDataGetLength(_ data: CFData!) -> CFIndex { data?.length ?? 0 }

/// Returns a pointer to the bytes, valid until the object is modified or released; nil if there are none.
@discardableResult
public func CFDataGetBytePtr(_ data: CFData!) -> UnsafePointer<UInt8>! {
  guard let data, data.length > 0 else { return nil }
  return unsafe data.bytes.assumingMemoryBound(to: UInt8.self)
}

/// Copies a range of the bytes to a buffer. The part of the range that is out of bounds is ignored; Apple traps.
public func CFDataGetBytes(_ data: CFData!, _ range: CFRange, _ buffer: UnsafeMutablePointer<UInt8>!) {
  guard let data, let buffer = unsafe buffer, range.location >= 0, range.length > 0, range.location < data.length
  else { return }
  let length = min(range.length, data.length - range.location)
  unsafe data.getBytes(buffer, range: NSRange(location: range.location, length: length))
}

/// Appends bytes.
public func CFDataAppendBytes(_ data: CFMutableData!, _ bytes: UnsafePointer<UInt8>!, _ length: CFIndex) {
  guard let data, let bytes = unsafe bytes, length > 0 else { return }
  unsafe data.append(bytes, length: length)
}

/// A range of positions in a sequence.
public struct CFRange: Hashable, Sendable {
  /// The first position.
  public var location: CFIndex
  /// The number of positions.
  public var length: CFIndex

  /// Creates the empty range at 0.
  public init() { self.init(location: 0, length: 0) }

  /// Creates the range of `length` positions from `location`.
  public init(location: CFIndex, length: CFIndex) {
    self.location = location
    self.length = length
  }
}

/// Creates the range of `length` positions from `location`.
@discardableResult
public func CFRangeMake(_ location: CFIndex, _ length: CFIndex) -> CFRange {
  CFRange(location: location, length: length)
}
