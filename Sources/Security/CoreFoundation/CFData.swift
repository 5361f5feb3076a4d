public import Foundation

/// A part of a sequence.
public struct CFRange: Hashable, Sendable {
  /// The first position.
  public var location: CFIndex
  /// How many positions.
  public var length: CFIndex

  /// The empty range at 0.
  public init() { self.init(location: 0, length: 0) }

  /// The `length` positions from `location`.
  public init(location: CFIndex, length: CFIndex) {
    self.location = location
    self.length = length
  }
}

/// The `length` positions from `location`.
@discardableResult
public func CFRangeMake(_ location: CFIndex, _ length: CFIndex) -> CFRange {
  CFRange(location: location, length: length)
}

/// A copy of `length` bytes; nil where the length is negative, or there are no bytes to copy.
@discardableResult
public func CFDataCreate(
  _ allocator: CFAllocator!, _ bytes: UnsafePointer<UInt8>!, _ length: CFIndex
) -> CFData! {
  guard length > 0 else { return length == 0 ? NSData() : nil }
  guard let bytes = unsafe bytes else { return nil }
  return unsafe NSData(bytes: bytes, length: length)
}

/// Empty bytes that grow; `capacity` is a hint.
@discardableResult
public func CFDataCreateMutable(_ allocator: CFAllocator!, _ capacity: CFIndex) -> CFMutableData! { NSMutableData() }

/// A copy.
@discardableResult
public func CFDataCreateCopy(_ allocator: CFAllocator!, _ data: CFData!) -> CFData! {
  data.map { NSData(data: Data(referencing: $0)) }
}

/// How many bytes there are.
@discardableResult
public func CFDataGetLength(_ data: CFData!) -> CFIndex { data?.length ?? 0 }

/// Where the bytes are, for as long as the object lives and is not changed; nil for no bytes.
@discardableResult
public func CFDataGetBytePtr(_ data: CFData!) -> UnsafePointer<UInt8>! {
  guard let data, data.length > 0 else { return nil }
  return unsafe data.bytes.assumingMemoryBound(to: UInt8.self)
}

/// Copies a part of the bytes; what lies outside of them is not copied.
public func CFDataGetBytes(_ data: CFData!, _ range: CFRange, _ buffer: UnsafeMutablePointer<UInt8>!) {
  guard let data, let buffer = unsafe buffer, range.location >= 0, range.length > 0, range.location < data.length
  else { return }
  let length = min(range.length, data.length - range.location)
  unsafe data.getBytes(buffer, range: NSRange(location: range.location, length: length))
}

/// Adds bytes at the end.
public func CFDataAppendBytes(_ data: CFMutableData!, _ bytes: UnsafePointer<UInt8>!, _ length: CFIndex) {
  guard let data, let bytes = unsafe bytes, length > 0 else { return }
  unsafe data.append(bytes, length: length)
}
