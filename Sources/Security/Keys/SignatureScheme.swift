internal import Crypto
internal import Foundation

/// What an algorithm's name means for signatures.
struct SignatureScheme: Hashable, Sendable {
  enum Padding: Sendable { case ecdsa, pkcs1, pss }

  /// The digest, by its size in bytes.
  enum Hash: Int, Sendable { case sha1 = 20, sha256 = 32, sha384 = 48, sha512 = 64 }

  let padding: Padding
  let hash: Hash
  /// True where the input is the data, false where it is the data's digest.
  let takesMessage: Bool

  /// nil where this module cannot do it.
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

  /// The digest to sign: of the input, or the input itself.
  func digest(of input: Data) throws(SecurityError) -> any Digest {
    switch hash {
    case .sha1: try digest(of: input, by: Insecure.SHA1.self)
    case .sha256: try digest(of: input, by: SHA256.self)
    case .sha384: try digest(of: input, by: SHA384.self)
    case .sha512: try digest(of: input, by: SHA512.self)
    }
  }

  /// A digest that was computed elsewhere becomes swift-crypto's type by writing over one of its own, as the type has
  /// no initialiser from bytes; what reads back other than it was written is refused, so that a change of the type's
  /// layout cannot sign something else.
  private func digest<Function: HashFunction>(
    of input: Data, by function: Function.Type
  ) throws(SecurityError) -> any Digest {
    if takesMessage { return Function.hash(data: input) }
    guard input.count == hash.rawValue else {
      throw SecurityError(errSecParam, "the digest has \(input.count) bytes; the algorithm's has \(hash.rawValue)")
    }
    var digest = Function.hash(data: Data())
    guard MemoryLayout<Function.Digest>.size >= input.count else {
      throw SecurityError(errSecInternalComponent, "the digest's type has no room")
    }
    unsafe withUnsafeMutableBytes(of: &digest) { unsafe $0.copyBytes(from: input) }
    guard digest.elementsEqual(input) else {
      throw SecurityError(errSecInternalComponent, "the digest does not read back")
    }
    return digest
  }
}
