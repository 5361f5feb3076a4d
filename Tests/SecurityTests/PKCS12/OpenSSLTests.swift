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
