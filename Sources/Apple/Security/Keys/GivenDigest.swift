internal import Crypto
internal import Foundation

/// A digest of a hash function that swift-crypto lacks, or of an unknown one.
///
/// ECDSA accepts it; swift-crypto's RSA does not, because its padding names the hash function.
struct GivenDigest: Digest {
  let bytes: [UInt8]

  /// Required by the protocol, and meaningless here: the length differs.
  static var byteCount: Int { 0 }

  var description: String { "\(bytes.count) bytes" }

  func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try unsafe bytes.withUnsafeBytes { try unsafe body($0) }
  }
}
