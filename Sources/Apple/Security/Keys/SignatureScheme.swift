internal import CofferOpenSSL
internal import Crypto
internal import Foundation

/// The scheme of a signature algorithm: padding, hash function and kind of input.
struct SignatureScheme: Hashable, Sendable {
  /// The padding of RSA, or the encoding of ECDSA: DER, or the concatenation of r and s.
  enum Padding: Sendable { case ecdsa, ecdsaConcatenated, pkcs1, pss, none }

  let padding: Padding
  /// The hash function; nil if the input is a digest of any kind.
  let hash: DigestAlgorithm?
  /// True if the input is the message; false if it is the digest of the message.
  let takesMessage: Bool

  /// Creates the scheme of an algorithm; nil if the algorithm is not a signature.
  init?(_ algorithm: SecKeyAlgorithm) {
    guard let scheme = Self.schemes[algorithm.name] else { return nil }
    self = scheme
  }

  private init(_ padding: Padding, _ hash: DigestAlgorithm? = nil, takesMessage: Bool = false) {
    self.padding = padding
    self.hash = hash
    self.takesMessage = takesMessage
  }

  /// The schemes by Apple's names of the algorithms.
  private static let schemes: [String: SignatureScheme] = {
    var schemes: [String: SignatureScheme] = [
      "algid:sign:ECDSA:digest-X962": .init(.ecdsa), "algid:sign:ECDSA:RFC4754": .init(.ecdsaConcatenated),
      "algid:sign:RSA:digest-PKCS1v15": .init(.pkcs1), "algid:sign:RSA:raw": .init(.none),
    ]
    for hash in DigestAlgorithm.allCases {
      // Apple's names of PSS with SHA-224 state a salt of 24 bytes. It has 28, as the digest.
      let pss = "PSS:\(hash.name):\(hash.name):\(hash == .sha224 ? 24 : hash.rawValue)"
      for (input, takesMessage) in [("message", true), ("digest", false)] {
        schemes["algid:sign:ECDSA:\(input)-X962:\(hash.name)"] = .init(.ecdsa, hash, takesMessage: takesMessage)
        schemes["algid:sign:RSA:\(input)-PKCS1v15:\(hash.name)"] = .init(.pkcs1, hash, takesMessage: takesMessage)
        schemes["algid:sign:RSA:\(input)-\(pss)"] = .init(.pss, hash, takesMessage: takesMessage)
      }
    }
    return schemes
  }()

  func needsOpenSSL(for type: KeyType) -> Bool {
    hash == .sha224 && takesMessage || type == .rsa && openSSLPadding != nil
  }

  /// The padding of an RSA signature that swift-crypto lacks; nil for the others.
  var openSSLPadding: RSAOperation.Padding? {
    switch (padding, hash) {
    case (.pkcs1, .sha224), (.pkcs1, nil): .pkcs1(hash)
    case (.pss, .sha224): .pss(.sha224)
    case (.none, _): RSAOperation.Padding.none
    default: nil
    }
  }

  /// Returns the digest to sign: the digest of the input, or the input itself. Throws `errSecParam` if the input is a
  /// digest of the wrong length.
  func digest(of input: Data) throws(SecurityError) -> any Digest {
    switch hash {
    case .sha1: return try digest(of: input, by: Insecure.SHA1.self)
    case .sha256: return try digest(of: input, by: SHA256.self)
    case .sha384: return try digest(of: input, by: SHA384.self)
    case .sha512: return try digest(of: input, by: SHA512.self)
    case .sha224 where takesMessage:
      do throws(OpenSSLError) {
        return GivenDigest(bytes: try DigestAlgorithm.sha224.digest(of: [UInt8](input)))
      } catch {
        throw SecurityError(error, reading: "message")
      }
    case .sha224, nil:
      try checkLength(of: input)
      return GivenDigest(bytes: [UInt8](input))
    }
  }

  private func checkLength(of digest: Data) throws(SecurityError) {
    guard let hash, digest.count != hash.rawValue else { return }
    throw SecurityError(errSecParam, "the digest has \(digest.count) bytes; the algorithm requires \(hash.rawValue)")
  }

  /// Returns the digest as swift-crypto's type.
  ///
  /// The type has no initialiser from bytes, and RSA accepts no other one, so a given digest is copied over the bytes
  /// of an existing one. The result is compared with the input: if the layout of the type changed, an error is thrown
  /// rather than a wrong digest signed.
  private func digest<Function: HashFunction>(
    of input: Data, by function: Function.Type
  ) throws(SecurityError) -> any Digest {
    if takesMessage { return Function.hash(data: input) }
    try checkLength(of: input)
    var digest = Function.hash(data: Data())
    guard MemoryLayout<Function.Digest>.size >= input.count else {
      throw SecurityError(errSecInternalComponent, "the digest type is too small")
    }
    unsafe withUnsafeMutableBytes(of: &digest) { unsafe $0.copyBytes(from: input) }
    guard digest.elementsEqual(input) else {
      throw SecurityError(errSecInternalComponent, "the digest could not be converted")
    }
    return digest
  }
}

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
