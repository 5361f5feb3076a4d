internal import CofferCrypto
internal import CofferOpenSSL
internal import Foundation
internal import Testing

@testable internal import Security

@Suite struct OpenSSLTests {
  @Test func `A missing library is errSecNotAvailable, and the explanation names the package`() throws {
    let error = try #require(throws: OpenSSLError.self) { try Libcrypto.require(file: "libcrypto-missing.so.3") }
    guard case .unavailable(let reason) = error else { throw error }
    #expect(reason.contains("libcrypto-missing.so.3"))
    let failure = SecurityError(error, reading: "PKCS #12 file")
    #expect(failure.status == errSecNotAvailable)
    #expect(failure.detail.contains("install the package libssl3"))
    // A library of another kind.
    #expect(throws: OpenSSLError.self) { try Libcrypto.require(file: "libc.so.6") }
    try Libcrypto.require()
  }

  @Test func `Digests are those of FIPS 180, and keys those of another implementation of X9.63`() throws {
    let digests: [DigestAlgorithm: String] = [
      .sha1: "a9993e364706816aba3e25717850c26c9cd0d89d",
      .sha224: "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7",
      .sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    ]
    for (algorithm, digest) in digests {
      #expect(try algorithm.digest(of: [UInt8]("abc".utf8)) == [UInt8](Data(hex: digest)))
    }
    for algorithm in DigestAlgorithm.allCases { #expect(try algorithm.digest(of: []).count == algorithm.rawValue) }
    // From python-cryptography: the secret 0…31, the shared info 1, 2.
    let key = try DigestAlgorithm.sha224.derivedKey(from: Array(0..<32), sharedInfo: [1, 2], count: 80)
    let expected =
      "9310559744da5b40f80ca3674296c1a6cbd1cd5c245cd4e518db71326ae2292b29e3ed92950d0173753d5d633de373bc3b8ba1a35c3e92"
      + "3e3c79fb1232784515852d707196200eea4ee33f7c05e1966d"
    #expect(key == [UInt8](Data(hex: expected)))
  }

  @Test func `Each key derivation of a file counts towards the limit`() throws {
    // The authentication code has one iteration, the certificate and the key 2048 each.
    let file = [UInt8](try PKCS12ImportTests.vector("keychain-access"))
    let passphrase = SecretText(copying: "sesame".utf8)
    for limit: Int64 in [0, 1, 2048, 2049, 4096] {
      #expect(throws: OpenSSLError.tooCostly, "\(limit)") {
        try PKCS12Contents(reading: file, passphrase: passphrase, iterations: limit)
      }
    }
    #expect(try PKCS12Contents(reading: file, passphrase: passphrase, iterations: 4097).keys.count == 1)
  }

  @Test func `A file of more than 16 MiB is refused unread`() throws {
    #expect(throws: OpenSSLError.tooCostly) {
      try PKCS12Contents(
        reading: [UInt8](repeating: 0x30, count: PKCS12Contents.maximumByteCount + 1),
        passphrase: SecretText(copying: []))
    }
  }
}
