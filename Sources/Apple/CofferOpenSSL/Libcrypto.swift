internal import CLibcrypto

/// OpenSSL's library, which is loaded at the first call: nothing links it, and a program that makes no call does not
/// need it.
package enum Libcrypto {
  /// Loads OpenSSL's own library, or that of a file. Throws `unavailable`.
  package static func require(file: String? = nil) throws(OpenSSLError) {
    var reason = [CChar](repeating: 0, count: 256)
    let status = unsafe reason.withUnsafeMutableBufferPointer { buffer in
      unsafe coffer_libcrypto_load(file, buffer.baseAddress, buffer.count)
    }
    guard status == COFFER_LIBCRYPTO_OK.rawValue else {
      let bytes = reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      throw .unavailable(String(decoding: bytes, as: UTF8.self))
    }
  }

  /// Whether the library can be loaded.
  package static var isAvailable: Bool { coffer_libcrypto_load(nil, nil, 0) == COFFER_LIBCRYPTO_OK.rawValue }

  /// Throws the error that a status stands for.
  static func check(_ status: Int32) throws(OpenSSLError) {
    switch coffer_libcrypto_status(rawValue: UInt32(bitPattern: status)) {
    case COFFER_LIBCRYPTO_OK: return
    case COFFER_LIBCRYPTO_UNAVAILABLE:
      try require()
      throw .failed
    case COFFER_LIBCRYPTO_NO_LEGACY_PROVIDER: throw .legacyProviderMissing
    case COFFER_LIBCRYPTO_DAMAGED: throw .damaged
    case COFFER_LIBCRYPTO_UNSUPPORTED: throw .unsupported
    case COFFER_LIBCRYPTO_TOO_COSTLY: throw .tooCostly
    case COFFER_LIBCRYPTO_WRONG_PASSPHRASE: throw .wrongPassphrase
    default: throw .failed
    }
  }
}

extension coffer_bytes {
  /// A copy of the bytes.
  var array: [UInt8] {
    guard let start = unsafe self.start else { return [] }
    return unsafe Array(UnsafeBufferPointer(start: start, count: count))
  }
}

/// Calls `body` with bytes as a C structure.
func withBytes<Result>(_ bytes: [UInt8], _ body: (coffer_bytes) -> Result) -> Result {
  unsafe bytes.withUnsafeBufferPointer { bytes in
    unsafe body(coffer_bytes(start: bytes.baseAddress, count: bytes.count))
  }
}

/// Calls `body` with a C string; null for nil.
func withOptionalCString<Result>(_ text: String?, _ body: (UnsafePointer<CChar>?) -> Result) -> Result {
  guard let text else { return body(nil) }
  return unsafe text.withCString { unsafe body($0) }
}

/// Calls `body` with several byte strings as a C list.
func withByteList<Result>(_ strings: [[UInt8]], _ body: (coffer_byte_list) -> Result) -> Result {
  let bytes = Array(strings.joined())
  let counts = strings.map(\.count)
  return unsafe bytes.withUnsafeBufferPointer { bytes in
    unsafe counts.withUnsafeBufferPointer { counts in
      unsafe body(coffer_byte_list(bytes: bytes.baseAddress, counts: counts.baseAddress, count: strings.count))
    }
  }
}

/// An error of a call of OpenSSL.
package enum OpenSSLError: Error, Equatable {
  /// The library is not installed, for the reason that the system states.
  case unavailable(String)
  /// The file is encrypted with RC2 or RC4, and OpenSSL's provider of old ciphers is not installed.
  case legacyProviderMissing
  /// The library failed without a cause in the input.
  case failed
  /// The bytes do not have the expected format.
  case damaged
  /// The bytes have the expected format, with an algorithm that is not supported.
  case unsupported
  /// The file has more bytes, or demands more iterations, than allowed.
  case tooCostly
  /// The passphrase is wrong, or the file was changed.
  case wrongPassphrase
}
