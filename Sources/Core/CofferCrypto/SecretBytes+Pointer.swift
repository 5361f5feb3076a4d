/// The pointer types that libsodium's functions take. Internal: outside this target, a pointer is only lent to a
/// closure.
extension UnsafeRawBufferPointer {
  /// The start of the buffer as bytes. A secret's slot has an address even if the secret has zero bytes.
  var octets: UnsafePointer<UInt8> {
    guard let start = unsafe bindMemory(to: UInt8.self).baseAddress else {
      preconditionFailure("a secret's buffer has no address")
    }
    return unsafe start
  }
}

extension UnsafeMutableRawBufferPointer {
  /// The start of the buffer as bytes. A secret's slot has an address even if the secret has zero bytes.
  var octets: UnsafeMutablePointer<UInt8> {
    guard let start = unsafe bindMemory(to: UInt8.self).baseAddress else {
      preconditionFailure("a secret's buffer has no address")
    }
    return unsafe start
  }
}
