// swift-format-ignore-file: NeverForceUnwrap
// Existing code forces casts and optionals, and is copied here unchanged.

import Security
import Testing

/// RSA as code of before iOS 10 uses it, with buffers and their lengths.
private enum OldRSA {
  static func encrypt(_ text: String, _ key: SecKey, _ padding: SecPadding = .PKCS1) -> (OSStatus, Data) {
    let plain = [UInt8](text.utf8)
    var length = SecKeyGetBlockSize(key)
    var cipher = [UInt8](repeating: 0, count: length)
    let status = SecKeyEncrypt(key, padding, plain, plain.count, &cipher, &length)
    return (status, Data(bytes: cipher, count: length))
  }

  static func decrypt(_ data: Data, _ key: SecKey, _ padding: SecPadding = .PKCS1) -> (OSStatus, String?) {
    let cipher = [UInt8](data)
    var length = SecKeyGetBlockSize(key)
    var plain = [UInt8](repeating: 0, count: length)
    let status = SecKeyDecrypt(key, padding, cipher, cipher.count, &plain, &length)
    guard status == errSecSuccess else { return (status, nil) }
    return (status, String(bytes: plain[0..<length], encoding: .utf8))
  }

  static func sign(_ digest: Data, _ key: SecKey, _ padding: SecPadding) -> (status: OSStatus, signature: Data) {
    let signature = NSMutableData(length: 1024)!
    var length = signature.length
    let status = SecKeyRawSign(
      key, padding, [UInt8](digest), digest.count, signature.mutableBytes.assumingMemoryBound(to: UInt8.self), &length)
    signature.length = length
    return (status, signature as Data)
  }

  static func verify(_ signature: Data, of digest: Data, _ key: SecKey, _ padding: SecPadding) -> OSStatus {
    digest.withUnsafeBytes { digest in
      signature.withUnsafeBytes { signature in
        SecKeyRawVerify(
          key, padding, digest.bindMemory(to: UInt8.self).baseAddress!, digest.count,
          signature.bindMemory(to: UInt8.self).baseAddress!, signature.count)
      }
    }
  }
}

/// The functions that Apple has deprecated, and those that replace them.
@Suite struct LegacyKeyTests {
  private let privateKey: SecKey
  private let publicKey: SecKey

  init() throws {
    (privateKey, publicKey) = try Self.pair(kSecAttrKeyTypeRSA, 2048)
  }

  private static func pair(_ type: CFString, _ size: Int) throws -> (SecKey, SecKey) {
    var publicKey, privateKey: SecKey?
    let parameters = [kSecAttrKeyType: type, kSecAttrKeySizeInBits: size] as [CFString: Any]
    #expect(SecKeyGeneratePair(parameters as CFDictionary, &publicKey, &privateKey) == errSecSuccess)
    return (try #require(privateKey), try #require(publicKey))
  }

  @Test func `A text is encrypted and decrypted with each padding, also by the newer functions`() throws {
    for (padding, algorithm) in [
      (SecPadding.PKCS1, SecKeyAlgorithm.rsaEncryptionPKCS1), (.OAEP, .rsaEncryptionOAEPSHA1), ([], .rsaEncryptionRaw),
    ] {
      let (status, cipher) = OldRSA.encrypt("a text", publicKey, padding)
      #expect(status == errSecSuccess && cipher.count == 256)
      #expect(OldRSA.decrypt(cipher, privateKey, padding) == (errSecSuccess, "a text"))
      let newer = try #require(SecKeyCreateDecryptedData(privateKey, algorithm, cipher as CFData, nil)) as Data
      #expect(newer.suffix(6) == Data("a text".utf8))
      let theirs = try #require(SecKeyCreateEncryptedData(publicKey, algorithm, Data("a text".utf8) as CFData, nil))
      #expect(OldRSA.decrypt(theirs as Data, privateKey, padding) == (errSecSuccess, "a text"))
    }
  }

  @Test func `A digest is signed and verified with each padding, also by the newer functions`() throws {
    let table: [(SecPadding, SecKeyAlgorithm, Int)] = [
      (.PKCS1, .rsaSignatureDigestPKCS1v15Raw, 40), ([], .rsaSignatureRaw, 40),
      (.PKCS1SHA1, .rsaSignatureDigestPKCS1v15SHA1, 20), (.PKCS1SHA224, .rsaSignatureDigestPKCS1v15SHA224, 28),
      (.PKCS1SHA256, .rsaSignatureDigestPKCS1v15SHA256, 32), (.PKCS1SHA384, .rsaSignatureDigestPKCS1v15SHA384, 48),
      (.PKCS1SHA512, .rsaSignatureDigestPKCS1v15SHA512, 64),
    ]
    for (padding, algorithm, count) in table {
      let digest = Data(repeating: 7, count: count)
      let (status, signature) = OldRSA.sign(digest, privateKey, padding)
      #expect(status == errSecSuccess && signature.count == 256)
      #expect(OldRSA.verify(signature, of: digest, publicKey, padding) == errSecSuccess)
      #expect(SecKeyVerifySignature(publicKey, algorithm, digest as CFData, signature as CFData, nil))
      var altered = signature
      altered[100] ^= 1
      #expect(OldRSA.verify(altered, of: digest, publicKey, padding) == errSSLCrypto)
      #expect(OldRSA.verify(signature, of: Data(repeating: 8, count: count), publicKey, padding) == errSSLCrypto)
      if count != 40 { #expect(OldRSA.sign(digest + [0], privateKey, padding).status == errSecParam) }
    }
  }

  @Test func `A key on a curve signs in DER, or as r and s`() throws {
    let (privateKey, publicKey) = try Self.pair(kSecAttrKeyTypeECSECPrimeRandom, 256)
    let digest = Data(repeating: 7, count: 32)
    for padding in [SecPadding.PKCS1, [], .PKCS1SHA256, .sigRaw] {
      let (status, signature) = OldRSA.sign(digest, privateKey, padding)
      #expect(status == errSecSuccess)
      if padding == .sigRaw { #expect(signature.count == 64) } else { #expect(signature.first == 0x30) }
      #expect(OldRSA.verify(signature, of: digest, publicKey, padding) == errSecSuccess)
      #expect(OldRSA.verify(signature, of: digest.dropLast(), publicKey, padding) == errSSLCrypto)
    }
    #expect(OldRSA.encrypt("text", publicKey).0 == errSecParam)
  }

  @Test func `A wrong key, an unknown padding and a short buffer are errSecParam, and nothing is written`() throws {
    let digest = Data(repeating: 7, count: 16)
    for padding in [SecPadding.PKCS1MD2, .PKCS1MD5, .OAEP, .sigRaw] {
      #expect(OldRSA.sign(digest, privateKey, padding).status == errSecParam)
    }
    #expect(OldRSA.encrypt("text", publicKey, .PKCS1SHA256).0 == errSecParam)
    #expect(OldRSA.encrypt("text", privateKey).0 == errSecParam)
    #expect(OldRSA.sign(digest, publicKey, .PKCS1).status == errSecParam)
    #expect(OldRSA.decrypt(Data(count: 256), privateKey).0 == errSecParam)
    #expect(OldRSA.encrypt(String(repeating: "x", count: 246), publicKey).0 == errSecParam)
    var buffer = [UInt8](repeating: 1, count: 256)
    var length = 255
    #expect(SecKeyEncrypt(publicKey, .PKCS1, [1], 1, &buffer, &length) == errSecParam)
    #expect(length == 255 && buffer.allSatisfy { $0 == 1 })
    #expect(SecCopyLastErrorExplanation().map { ($0 as String).contains("256 bytes") } == true)
  }

  @Test func `The numbers of paddings are Apple's`() {
    #expect(SecPadding.PKCS1.rawValue == 1 && SecPadding.OAEP.rawValue == 2 && SecPadding.sigRaw.rawValue == 0x4000)
    #expect(SecPadding.PKCS1SHA1.rawValue == 0x8002 && SecPadding.PKCS1SHA512.rawValue == 0x8006)
    #expect(SecPadding() == [] && errSSLCrypto == -9809)
  }
}
