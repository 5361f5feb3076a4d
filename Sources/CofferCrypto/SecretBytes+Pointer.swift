/// The pointer forms that libsodium's calls take. Internal: no pointer leaves this target but a buffer lent to a closure.
extension UnsafeRawBufferPointer {
  /// The start as bytes. A secret's slot has an address even where it holds zero bytes.
  var octets: UnsafePointer<UInt8> {
    guard let start = unsafe bindMemory(to: UInt8.self).baseAddress else {
      preconditionFailure("a secret without an address")
    }
    return unsafe start
  }
}

extension UnsafeMutableRawBufferPointer {
  /// The start as bytes. A secret's slot has an address even where it holds zero bytes.
  var octets: UnsafeMutablePointer<UInt8> {
    guard let start = unsafe bindMemory(to: UInt8.self).baseAddress else {
      preconditionFailure("a secret without an address")
    }
    return unsafe start
  }
}
