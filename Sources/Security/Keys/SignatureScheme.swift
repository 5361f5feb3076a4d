internal import Crypto
internal import Foundation

/// The scheme of a signature algorithm: padding, hash function and kind of input.
struct SignatureScheme: Hashable, Sendable {
  enum Padding: Sendable { case ecdsa, pkcs1, pss }

  /// The hash functions, with the lengths of their digests in bytes.
  enum Hash: Int, Sendable { case sha1 = 20, sha256 = 32, sha384 = 48, sha512 = 64 }

  let padding: Padding
  let hash: Hash
  /// True if the input is the message; false if it is the digest of the message.
  let takesMessage: Bool

  /// Creates the scheme of an algorithm; nil if the algorithm is not a supported signature.
  init?(_ algorithm: SecKeyAlgorithm) {
    guard let scheme = Self.schemes[algorithm] else { return nil }
    self = scheme
  }

  private init(_ padding: Padding, _ hash: Hash, takesMessage: Bool) {
    self.padding = padding
    self.hash = hash
    self.takesMessage = takesMessage
  }

  private static let schemes: [SecKeyAlgorithm: SignatureScheme] = [
    .ecdsaSignatureMessageX962SHA1: .init(.ecdsa, .sha1, takesMessage: true),
    .ecdsaSignatureMessageX962SHA256: .init(.ecdsa, .sha256, takesMessage: true),
    .ecdsaSignatureMessageX962SHA384: .init(.ecdsa, .sha384, takesMessage: true),
    .ecdsaSignatureMessageX962SHA512: .init(.ecdsa, .sha512, takesMessage: true),
    .ecdsaSignatureDigestX962SHA1: .init(.ecdsa, .sha1, takesMessage: false),
    .ecdsaSignatureDigestX962SHA256: .init(.ecdsa, .sha256, takesMessage: false),
    .ecdsaSignatureDigestX962SHA384: .init(.ecdsa, .sha384, takesMessage: false),
    .ecdsaSignatureDigestX962SHA512: .init(.ecdsa, .sha512, takesMessage: false),
    .rsaSignatureMessagePKCS1v15SHA1: .init(.pkcs1, .sha1, takesMessage: true),
    .rsaSignatureMessagePKCS1v15SHA256: .init(.pkcs1, .sha256, takesMessage: true),
    .rsaSignatureMessagePKCS1v15SHA384: .init(.pkcs1, .sha384, takesMessage: true),
    .rsaSignatureMessagePKCS1v15SHA512: .init(.pkcs1, .sha512, takesMessage: true),
    .rsaSignatureDigestPKCS1v15SHA1: .init(.pkcs1, .sha1, takesMessage: false),
    .rsaSignatureDigestPKCS1v15SHA256: .init(.pkcs1, .sha256, takesMessage: false),
    .rsaSignatureDigestPKCS1v15SHA384: .init(.pkcs1, .sha384, takesMessage: false),
    .rsaSignatureDigestPKCS1v15SHA512: .init(.pkcs1, .sha512, takesMessage: false),
    .rsaSignatureMessagePSSSHA1: .init(.pss, .sha1, takesMessage: true),
    .rsaSignatureMessagePSSSHA256: .init(.pss, .sha256, takesMessage: true),
    .rsaSignatureMessagePSSSHA384: .init(.pss, .sha384, takesMessage: true),
    .rsaSignatureMessagePSSSHA512: .init(.pss, .sha512, takesMessage: true),
    .rsaSignatureDigestPSSSHA1: .init(.pss, .sha1, takesMessage: false),
    .rsaSignatureDigestPSSSHA256: .init(.pss, .sha256, takesMessage: false),
    .rsaSignatureDigestPSSSHA384: .init(.pss, .sha384, takesMessage: false),
    .rsaSignatureDigestPSSSHA512: .init(.pss, .sha512, takesMessage: false),
  ]

  /// Returns the digest to sign: the digest of the input, or the input itself.
  ///
  /// - Throws: `errSecParam` if the input is a digest of the wrong length.
  func digest(of input: Data) throws(SecurityError) -> any Digest {
    switch hash {
    case .sha1: try digest(of: input, by: Insecure.SHA1.self)
    case .sha256: try digest(of: input, by: SHA256.self)
    case .sha384: try digest(of: input, by: SHA384.self)
    case .sha512: try digest(of: input, by: SHA512.self)
    }
  }

  /// Returns the digest as swift-crypto's type.
  ///
  /// The type has no initialiser from bytes, so a given digest is copied over the bytes of an existing one. The result
  /// is compared with the input: if the layout of the type changed, an error is thrown rather than a wrong digest
  /// signed.
  private func digest<Function: HashFunction>(
    of input: Data, by function: Function.Type
  ) throws(SecurityError) -> any Digest {
    if takesMessage { return Function.hash(data: input) }
    guard input.count == hash.rawValue else {
      throw SecurityError(errSecParam, "the digest has \(input.count) bytes; the algorithm requires \(hash.rawValue)")
    }
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
