package import CofferCrypto

/// A secret of at most 64 bytes, sealed under a passphrase with Argon2id. The cost is authenticated, and is checked
/// against its limits when read.
package struct PassphraseSlot: Sendable {
  let cost: PasswordHashCost
  private let salt: Bytes16
  private let commitment: Bytes32
  private let sealed: [UInt8]

  /// Seals `secret` under a passphrase of 1…1024 bytes. `context` is authenticated with it.
  package init(
    sealing secret: SecretBytes, passphrase: SecretText, cost: PasswordHashCost, context: [UInt8]
  ) throws(CryptoError) {
    self.init(sealing: secret, under: try Key(passphrase: passphrase, cost: cost), context: context)
  }

  /// Seals `secret` under the key of a passphrase. `context` is authenticated with it.
  init(sealing secret: SecretBytes, under key: Key, context: [UInt8]) {
    cost = key.cost
    salt = key.salt
    let associated = Self.associated(context: context, cost: cost, salt: salt)
    commitment = key.key.slotCommitment(to: associated)
    sealed = key.key.slotSealing.seal(secret, associated: associated)
  }

  /// Throws ``CryptoError/authenticationFailed`` for a wrong passphrase.
  package func open(passphrase: SecretText, context: [UInt8]) throws(CryptoError) -> SecretBytes {
    try open(with: try Key(passphrase: passphrase, of: self), context: context)
  }

  /// Opens the secret with the key of a passphrase that was derived for this slot. Throws
  /// ``CryptoError/authenticationFailed`` for a wrong passphrase or another context.
  func open(with key: Key, context: [UInt8]) throws(CryptoError) -> SecretBytes {
    let associated = Self.associated(context: context, cost: cost, salt: salt)
    guard key.key.slotCommitment(to: associated) == commitment else { throw .authenticationFailed }
    return try key.key.slotSealing.openSecret(sealed, associated: associated)
  }

  /// A passphrase after the slow derivation. It seals any number of slots, which then have one salt and one cost.
  struct Key: Sendable {
    fileprivate let cost: PasswordHashCost
    fileprivate let salt: Bytes16
    fileprivate let key: SymmetricKey

    /// Derives the key of a passphrase with a new salt.
    init(passphrase: SecretText, cost: PasswordHashCost) throws(CryptoError) {
      self.cost = cost
      salt = Bytes16(Random.bytes(count: PasswordHash.saltByteCount)) ?? .zero
      key = try PasswordHash.key(passphrase: passphrase, salt: salt, cost: cost)
    }

    /// Derives the key of a passphrase with the salt and the cost of a slot.
    init(passphrase: SecretText, of slot: PassphraseSlot) throws(CryptoError) {
      cost = slot.cost
      salt = slot.salt
      key = try PasswordHash.key(passphrase: passphrase, salt: salt, cost: cost)
    }
  }

  private static func associated(context: [UInt8], cost: PasswordHashCost, salt: Bytes16) -> [UInt8] {
    var writer = ByteWriter()
    writer.data(context)
    writer.u32(cost.passes)
    writer.u32(cost.memoryKiB)
    writer.fixed(salt)
    return writer.bytes
  }

  package func write(to writer: inout ByteWriter) {
    writer.u32(cost.passes)
    writer.u32(cost.memoryKiB)
    writer.fixed(salt)
    writer.fixed(commitment)
    writer.data(sealed)
  }

  package init(from reader: inout ByteReader) throws(FormatError) {
    let passes = try reader.u32("passes")
    let memoryKiB = try reader.u32("memory")
    do throws(CryptoError) {
      cost = try PasswordHashCost(passes: passes, memoryKiB: memoryKiB)
    } catch {
      throw reader.failure(.invalidValue, "password hashing cost")
    }
    salt = try reader.bytes16("salt")
    commitment = try reader.bytes32("commitment")
    sealed = try reader.data("sealed secret", cap: 64 + SymmetricKey.overheadByteCount)
  }
}
