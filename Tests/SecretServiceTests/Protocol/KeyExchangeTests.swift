import CofferCrypto
import CofferSecretService
import Testing

@Suite struct KeyExchangeTests {
  @Test func `Both sides get the same key, of 16 bytes`() throws {
    let (one, other) = (try KeyExchange.random(), try KeyExchange.random())
    let key = try #require(try one.sharedKey(with: other.publicKey))
    let same = try #require(try other.sharedKey(with: one.publicKey))
    #expect(one.publicKey.count == 128 && key.count == 16)
    #expect(bytes(key) == bytes(same))
    #expect(bytes(key) != bytes(try #require(try KeyExchange.random().sharedKey(with: other.publicKey))))
  }

  /// Computed with another implementation: Python's integers and HMAC.
  @Test func `A known exponent and a known public key give a known key`() throws {
    let exponent = (1...32).map { UInt8($0) }
    let exchange = try KeyExchange(exponent: SecretBytes(copying: exponent[...]))
    #expect(hexadecimal(exchange.publicKey) == KeyExchangeVector.publicKey)
    let decoded = CofferCrypto.bytes(hexadecimal: KeyExchangeVector.peer)
    let peer = try #require(decoded)
    let key = try #require(try exchange.sharedKey(with: peer))
    #expect(hexadecimal(bytes(key)) == KeyExchangeVector.key)
  }

  @Test func `A public key that makes the secret known is refused`() throws {
    let exchange = try KeyExchange.random()
    var less = KeyExchange.prime
    less[127] -= 1
    var more = KeyExchange.prime
    for place in more.indices.reversed() {
      more[place] &+= 1
      if more[place] != 0 { break }
    }
    let refused: [[UInt8]] = [
      [], [0], [1], [UInt8](repeating: 0, count: 128), [UInt8](repeating: 0, count: 127) + [1], KeyExchange.prime, less,
      [UInt8](repeating: 255, count: 128), [1] + [UInt8](repeating: 0, count: 128),
      [UInt8](repeating: 0, count: 300) + [2],
    ]
    for key in refused { #expect(try exchange.sharedKey(with: key) == nil, "\(key.count)") }
    #expect(try exchange.sharedKey(with: [2]) != nil)
    // Leading zeros change nothing.
    let padded = try #require(try exchange.sharedKey(with: [0, 0, 2]))
    #expect(bytes(padded) == bytes(try #require(try exchange.sharedKey(with: [2]))))
  }

  private func bytes(_ secret: SecretBytes) -> [UInt8] { unsafe secret.withBytes { unsafe Array($0) } }
}
