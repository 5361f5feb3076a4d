import CofferX509
import Testing

@Suite struct RSAKeyTests {
  @Test(arguments: [1024, 1031, 2048, 3072])
  func `A public key has its modulus' size and is the key of its certificate`(bits: Int) throws {
    let openssl = try OpenSSL()
    let path = try openssl.key("RSA", "rsa_keygen_bits:\(bits)")
    let publicBytes = try openssl.pkcs1(path, "-RSAPublicKey_out")
    #expect(try RSAKey(publicKey: publicBytes).sizeInBits == bits)
    let certificate = try X509Certificate(der: openssl.certificate(key: path, subject: "CN = rsa"))
    #expect(certificate.subjectPublicKeyInfo.keyBits == publicBytes)
    #expect(certificate.keyKind == .rsa(bits: bits))
  }

  @Test func `A private key is not read as a public key`() throws {
    let openssl = try OpenSSL()
    let path = try openssl.key("RSA", "rsa_keygen_bits:1024")
    let privateBytes = try openssl.pkcs1(path, "-traditional")
    #expect(refusal { () throws(CertificateError) in try RSAKey(publicKey: privateBytes) } == .malformed)
  }

  @Test(
    arguments: [
      [], [0x30, 0], tlv(0x30, tlv(0x02, [3])), tlv(0x30, tlv(0x02, [4]) + tlv(0x02, [3])),
      tlv(0x30, tlv(0x02, [0]) + tlv(0x02, [3])), tlv(0x30, tlv(0x02, [0x81]) + tlv(0x02, [3])),
      tlv(0x30, tlv(0x02, [0, 5]) + tlv(0x02, [3])), tlv(0x30, tlv(0x02, [15]) + tlv(0x02, [2])),
      tlv(0x30, tlv(0x02, [15]) + tlv(0x02, [1])), tlv(0x30, tlv(0x02, []) + tlv(0x02, [3])),
      tlv(0x30, tlv(0x02, [15]) + tlv(0x02, [3]) + [5, 0]), tlv(0x30, tlv(0x02, [15]) + tlv(0x02, [3])) + [0],
    ] as [[UInt8]])
  func `Numbers that do not form a key are malformed`(bytes: [UInt8]) {
    #expect(refusal { () throws(CertificateError) in try RSAKey(publicKey: bytes) } == .malformed)
  }

  @Test func `The size is the number of bits of the modulus without its leading zero`() throws {
    #expect(try RSAKey(publicKey: tlv(0x30, tlv(0x02, [0, 0x81]) + tlv(0x02, [3]))).sizeInBits == 8)
    #expect(try RSAKey(publicKey: tlv(0x30, tlv(0x02, [0x01, 0x01]) + tlv(0x02, [3]))).sizeInBits == 9)
  }

  @Test func `Private keys of every version are malformed as public keys`() {
    let numbers = Array(repeating: tlv(0x02, [15]), count: 8).flatMap { $0 }
    let prime = { (version: UInt8) in tlv(0x30, tlv(0x02, [version]) + numbers) }
    for version: UInt8 in 0...2 {
      #expect(refusal { () throws(CertificateError) in try RSAKey(publicKey: prime(version)) } == .malformed)
    }
  }

  @Test func `A key beyond the limit is too large`() {
    let bytes = tlv(0x30, tlv(0x02, Array(repeating: 1, count: RSAKey.maximumByteCount)) + tlv(0x02, [3]))
    #expect(refusal { () throws(CertificateError) in try RSAKey(publicKey: bytes) } == .tooLarge)
  }

  @Test func `A public key that is cut short or has a changed byte is read or refused`() throws {
    let openssl = try OpenSSL()
    let bytes = try openssl.pkcs1(openssl.key("RSA", "rsa_keygen_bits:1024"), "-RSAPublicKey_out")
    for length in bytes.indices {
      #expect(
        refusal { () throws(CertificateError) in try RSAKey(publicKey: Array(bytes.prefix(length))) } == .malformed)
    }
    for index in bytes.indices {
      for mask: UInt8 in [1, 128, 255] {
        var changed = bytes
        changed[index] ^= mask
        let code = refusal { () throws(CertificateError) in try RSAKey(publicKey: changed) }
        #expect(code != .tooLarge)
      }
    }
  }

  private func refusal(_ read: () throws(CertificateError) -> RSAKey) -> CertificateError.Code? {
    do {
      _ = try read()
      return nil
    } catch {
      return error.code
    }
  }
}
