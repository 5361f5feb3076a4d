import CofferCrypto
import CofferSecretService
import Testing

@Suite struct TransportSessionTests {
  private let key = SecretBytes(copying: (0..<16).map { UInt8($0) }[...])

  @Test(arguments: [0, 1, 15, 16, 17, 1_000])
  func `A secret of any size is the same after the way, and travels encrypted`(count: Int) throws {
    let secret = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let session = TransportSession.encrypted(key: key)
    let sealed = try #require(session.seal(secret))
    #expect(sealed.parameters.count == 16 && sealed.value.count == (count / 16 + 1) * 16)
    #expect(session.open(sealed) == secret)
    #expect(try #require(session.seal(secret)) != sealed)
    #expect(TransportSession.plain.seal(secret) == .init(parameters: [], value: secret))
  }

  /// NIST SP 800-38A, F.2.1, with a block of padding.
  @Test func `The cipher is AES-128 with CBC`() throws {
    let key = try #require(bytes(hexadecimal: "2b7e151628aed2a6abf7158809cf4f3c"))
    let vector = try #require(bytes(hexadecimal: "000102030405060708090a0b0c0d0e0f"))
    let plain = try #require(bytes(hexadecimal: "6bc1bee22e409f96e93d7e117393172a"))
    let first = try #require(bytes(hexadecimal: "7649abac8119b246cee98e9b12e9197d"))
    let padding = try #require(bytes(hexadecimal: "8964e0b149c10b7b682e6e39aaeb731c"))
    let session = TransportSession.encrypted(key: SecretBytes(copying: key[...]))
    #expect(session.open(.init(parameters: vector, value: first + padding)) == plain)
  }

  @Test func `What was not encrypted with the key is refused`() throws {
    let session = TransportSession.encrypted(key: key)
    let sealed = try #require(session.seal([1, 2, 3]))
    #expect(session.open(.init(parameters: [], value: sealed.value)) == nil)
    #expect(session.open(.init(parameters: sealed.parameters, value: [])) == nil)
    #expect(session.open(.init(parameters: sealed.parameters, value: Array(sealed.value.dropLast()))) == nil)
    #expect(session.open(.init(parameters: sealed.parameters, value: [1, 2, 3])) == nil)
  }
}
