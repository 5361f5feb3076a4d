import CofferCrypto
import Testing

@Suite struct SealingTests {
  @Test(arguments: [0, 1, 15, 16, 17, 64, 4096])
  func `Sealed bytes open again, and no altered byte is accepted`(count: Int) throws {
    let key = SymmetricKey.random()
    let plain = Random.bytes(count: count)
    let sealed = key.seal(plain, associated: [1, 2])
    #expect(sealed.count == count + SymmetricKey.overheadByteCount)
    #expect(try key.open(sealed, associated: [1, 2]) == plain)
    #expect(sealed != key.seal(plain, associated: [1, 2]), "nonces are random")
    for index in stride(from: 0, to: sealed.count, by: max(1, sealed.count / 97)) {
      var altered = sealed
      altered[index] ^= 1
      #expect(throws: CryptoError.authenticationFailed) { try key.open(altered, associated: [1, 2]) }
    }
    #expect(throws: CryptoError.authenticationFailed) { try key.open(sealed, associated: [1, 3]) }
    #expect(throws: CryptoError.authenticationFailed) { try SymmetricKey.random().open(sealed, associated: [1, 2]) }
    #expect(throws: CryptoError.authenticationFailed) { try key.open(sealed.dropLast(), associated: [1, 2]) }
  }

  @Test(arguments: 0..<40)
  func `Bytes that are too short for a seal are refused`(count: Int) {
    #expect(throws: CryptoError.authenticationFailed) {
      try SymmetricKey.random().open([UInt8](repeating: 0, count: count), associated: [])
    }
    #expect(throws: CryptoError.authenticationFailed) {
      try SymmetricKey.random().openSecret([UInt8](repeating: 0, count: count), associated: [])
    }
  }

  @Test func `A secret is unchanged after a seal and after a box`() throws {
    let secret = SecretBytes.random(count: 64)
    let key = SymmetricKey.random()
    #expect(try key.openSecret(key.seal(secret, associated: []), associated: []).isEqual(to: secret))
    let pair = AgreementKey.random()
    let box = try pair.publicKey.seal(secret)
    #expect(box.count == 64 + BoxKey.overheadByteCount)
    #expect(try pair.open(box).isEqual(to: secret))
    #expect(throws: CryptoError.authenticationFailed) { try AgreementKey.random().open(box) }
    for index in box.indices {
      var altered = box
      altered[index] ^= 0x10
      #expect(throws: CryptoError.authenticationFailed) { try pair.open(altered) }
    }
  }

  @Test func `A plaintext larger than a secret is refused before it is opened`() {
    let key = SymmetricKey.random()
    let sealed = key.seal([UInt8](repeating: 7, count: 65), associated: [])
    #expect(throws: CryptoError.authenticationFailed) { try key.openSecret(sealed, associated: []) }
    let huge = [UInt8](repeating: 0, count: 65 + BoxKey.overheadByteCount)
    #expect(throws: CryptoError.authenticationFailed) { try AgreementKey.random().open(huge) }
  }

  @Test func `Nothing is sealed to a public key of small order`() {
    #expect(throws: CryptoError.invalidPublicKey) { try BoxKey(.zero).seal(.random(count: 32)) }
  }

  @Test func `A public key of small order verifies nothing`() throws {
    let signature = try #require(Signature([1] + [UInt8](repeating: 0, count: 63)))
    let identity = try #require(Bytes32([1] + [UInt8](repeating: 0, count: 31)))
    for raw in [Bytes32.zero, identity] {
      #expect(!VerifyingKey(raw).verifies(signature, of: .zero, domain: Domain("coffer.test.1")))
    }
  }

  @Test func `A party's keys are derived from exactly 64 bytes, always with the same result`() throws {
    let keys = PartyKeys.random()
    #expect(try PartyKeys(secret: keys.secret).publicKeys == keys.publicKeys)
    for count in [0, 32, 63] {
      #expect(throws: CryptoError.invalidSize) { try PartyKeys(secret: .random(count: count)) }
      #expect(throws: CryptoError.invalidSize) { try SymmetricKey(.random(count: count == 32 ? 31 : count)) }
    }
    #expect(throws: CryptoError.invalidSize) { try SigningKey(seed: .random(count: 33)) }
    #expect(throws: CryptoError.invalidSize) { try AgreementKey(secret: .random(count: 31)) }
  }

  @Test func `A cost below the floor or above the ceiling is refused`() throws {
    _ = try PasswordHashCost(passes: 1, memoryKiB: 8192)
    _ = try PasswordHashCost(passes: 64, memoryKiB: 2 << 20)
    for (passes, memory) in [(0, 8192), (65, 8192), (1, 8191), (1, 2 << 20 + 1), (UInt32.max, 8192), (1, UInt32.max)]
      as [(UInt32, UInt32)]
    {
      #expect(throws: CryptoError.parametersRefused) { try PasswordHashCost(passes: passes, memoryKiB: memory) }
    }
  }

  @Test(arguments: [0, 1025])
  func `A passphrase is 1 to 1024 bytes`(count: Int) {
    #expect(throws: CryptoError.invalidSize) {
      try PasswordHash.key(
        passphrase: SecretText(copying: [UInt8](repeating: 65, count: count)), salt: .zero, cost: .floor)
    }
  }

  @Test func `Byte values keep their order and compare as byte strings`() throws {
    let sixteen = try #require(Bytes16([UInt8](0..<16)))
    #expect(sixteen.bytes == Array(0..<16))
    #expect(sixteen.hex == "000102030405060708090a0b0c0d0e0f")
    let thirtyTwo = try #require(Bytes32([UInt8]((0..<32).reversed())))
    #expect(thirtyTwo.bytes == (0..<32).reversed())
    for _ in 0..<200 {
      let pair = (Random.bytes(count: 32), Random.bytes(count: 32))
      let values = (try #require(Bytes32(pair.0)), try #require(Bytes32(pair.1)))
      #expect((values.0 < values.1) == pair.0.lexicographicallyPrecedes(pair.1))
    }
    #expect(Bytes16([UInt8](0..<15)) == nil && Bytes16([UInt8](0..<17)) == nil)
    #expect(Bytes32([UInt8](0..<31)) == nil && Bytes32([UInt8](0..<33)) == nil)
    #expect(Signature([UInt8](0..<63)) == nil && Signature([UInt8](0..<65)) == nil)
  }
}
