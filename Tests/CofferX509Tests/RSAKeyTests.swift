import CofferX509
import Testing

@Suite struct RSAKeyTests {
  @Test(arguments: [1024, 1031, 2048, 3072])
  func `Both halves of a key state its size and have the same hash as its certificate`(bits: Int) throws {
    let openssl = try OpenSSL()
    let path = try openssl.key("RSA", "rsa_keygen_bits:\(bits)")
    let publicBytes = try openssl.pkcs1(path, "-RSAPublicKey_out")
    let privateBytes = try openssl.pkcs1(path, "-traditional")
    let publicKey = try RSAKey(publicKey: publicBytes)
    let privateKey = try RSAKey(privateKey: privateBytes)
    #expect(publicKey.sizeInBits == bits)
    #expect(privateKey.sizeInBits == bits)
    #expect(publicKey.half == .publicKey)
    #expect(privateKey.half == .privateKey)
    #expect(publicKey.publicKey == publicBytes)
    #expect(privateKey.publicKey == publicBytes)
    let certificate = try X509Certificate(der: openssl.certificate(key: path, subject: "CN = rsa"))
    #expect(certificate.subjectPublicKeyInfo.keyBits == publicBytes)
    #expect(certificate.publicKeyHash == publicKey.publicKeyHash)
    #expect(certificate.publicKeyHash == privateKey.publicKeyHash)
  }

  @Test func `One half is not accepted as the other`() throws {
    let openssl = try OpenSSL()
    let path = try openssl.key("RSA", "rsa_keygen_bits:1024")
    let publicBytes = try openssl.pkcs1(path, "-RSAPublicKey_out")
    let privateBytes = try openssl.pkcs1(path, "-traditional")
    #expect(refusal { () throws(CertificateError) in try RSAKey(publicKey: privateBytes) } == .malformed)
    #expect(refusal { () throws(CertificateError) in try RSAKey(privateKey: publicBytes) } == .malformed)
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

  @Test func `A private key of more than two primes is unsupported, and another version is malformed`() {
    let numbers = Array(repeating: tlv(0x02, [15]), count: 8).flatMap { $0 }
    let prime = { (version: UInt8) in tlv(0x30, tlv(0x02, [version]) + numbers) }
    #expect(refusal { () throws(CertificateError) in try RSAKey(privateKey: prime(0)) } == nil)
    #expect(refusal { () throws(CertificateError) in try RSAKey(privateKey: prime(1)) } == .unsupported)
    #expect(refusal { () throws(CertificateError) in try RSAKey(privateKey: prime(2)) } == .malformed)
  }

  @Test func `A key beyond the limit is too large`() {
    let bytes = tlv(0x30, tlv(0x02, Array(repeating: 1, count: RSAKey.maximumByteCount)) + tlv(0x02, [3]))
    #expect(refusal { () throws(CertificateError) in try RSAKey(publicKey: bytes) } == .tooLarge)
  }

  @Test func `A truncated or changed private key is read or refused, and no error quotes it`() throws {
    let openssl = try OpenSSL()
    let bytes = try openssl.pkcs1(openssl.key("RSA", "rsa_keygen_bits:1024"), "-traditional")
    for length in bytes.indices {
      #expect(
        refusal { () throws(CertificateError) in try RSAKey(privateKey: Array(bytes.prefix(length))) } == .malformed)
    }
    for index in bytes.indices {
      for mask: UInt8 in [1, 128, 255] {
        var changed = bytes
        changed[index] ^= mask
        let code = refusal { () throws(CertificateError) in try RSAKey(privateKey: changed) }
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
