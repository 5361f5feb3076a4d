package import CofferCrypto
package import CofferFormat

/// One generation of a group's key, with the group's constant identity key: the 64 bytes that boxes carry.
package struct GroupKeys: Sendable {
  package let group: GroupID
  /// 1 for the first.
  package let generation: UInt32
  private let key: SymmetricKey
  private let identity: SymmetricKey
  private let sealing: SymmetricKey

  /// Fresh keys for a new group.
  package static func random(group: GroupID) -> GroupKeys {
    GroupKeys(group: group, generation: 1, key: .random(), identity: .random())
  }

  private init(group: GroupID, generation: UInt32, key: SymmetricKey, identity: SymmetricKey) {
    self.group = group
    self.generation = generation
    self.key = key
    self.identity = identity
    sealing = key.derived(context: "CfRecord")
  }

  /// The same keys, but for items that stay on the machine that holds `localSecret` (32 bytes): whoever has the group's keys
  /// and not that secret opens none of them.
  package func deviceLocal(_ localSecret: SecretBytes) -> GroupKeys {
    GroupKeys(self, sealing: Hash.key(from: SecretBytes(joining: sealing.secret, localSecret), domain: .localRecord))
  }

  private init(_ keys: GroupKeys, sealing: SymmetricKey) {
    group = keys.group
    generation = keys.generation
    key = keys.key
    identity = keys.identity
    self.sealing = sealing
  }

  /// Keys from the 64 secret bytes of a box.
  package init(group: GroupID, generation: UInt32, secret: SecretBytes) throws(CryptoError) {
    guard secret.count == 64 else { throw .invalidSize }
    self.init(
      group: group, generation: generation, key: try SymmetricKey(secret.slice(0..<32)),
      identity: try SymmetricKey(secret.slice(32..<64)))
  }

  /// The 64 secret bytes that boxes carry.
  package var secret: SecretBytes { SecretBytes(joining: key.secret, identity.secret) }

  /// What the log says of these keys without showing them.
  package var commitment: Bytes32 { Hash.commitment(to: secret, domain: .keyCommitment) }

  /// The next generation, with the same identity key.
  package func next() -> GroupKeys {
    GroupKeys(group: group, generation: generation + 1, key: .random(), identity: identity)
  }

  /// `previous`, sealed so that whoever reads this generation reads that one.
  package func wrap(_ previous: GroupKeys) -> [UInt8] {
    key.derived(context: "CfGrWrap").seal(previous.secret, associated: wrapContext(of: previous.generation))
  }

  /// The generation before, from what ``wrap(_:)`` made.
  package func unwrapPrevious(_ wrapped: [UInt8]) throws(CryptoError) -> GroupKeys {
    guard generation > 1 else { throw .invalidSize }
    let secret = try key.derived(context: "CfGrWrap")
      .openSecret(wrapped, associated: wrapContext(of: generation - 1))
    return try GroupKeys(group: group, generation: generation - 1, secret: secret)
  }

  private func wrapContext(of generation: UInt32) -> [UInt8] {
    var writer = ByteWriter()
    writer.fixed(group.raw)
    writer.u32(generation)
    return writer.bytes
  }

  /// Seals one part of a record. `headerHash` is the hash of the record's header.
  func seal(_ part: RecordPart, _ plain: [UInt8], headerHash: Bytes32) -> [UInt8] {
    sealing.seal(plain, associated: headerHash.bytes + [part.rawValue])
  }

  /// Opens one part of a record. `headerHash` is the hash of the record's header.
  func open(_ part: RecordPart, _ sealed: [UInt8], headerHash: Bytes32) throws(CryptoError) -> [UInt8] {
    try sealing.open(sealed, associated: headerHash.bytes + [part.rawValue])
  }

  /// The item that a class and a primary key name in this group. What is missing, empty or zero counts as empty.
  package func itemID(_ itemClass: ItemClass, isSynchronizable: Bool, attributes: ItemAttributes) -> ItemID {
    var writer = ByteWriter()
    writer.u32(itemClass.rawValue)
    writer.bool(isSynchronizable)
    for code in itemClass.primaryKey {
      writer.u32(code.rawValue)
      let value = attributes[code]
      writer.data(value.map { $0.isDefault ? [] : $0.matchBytes } ?? [])
    }
    return ItemID(identity.keyedHash16(writer.bytes, domain: .item))
  }

  /// The blind index entries of an item, or of what is looked for: one for each indexed attribute that is set. What was never
  /// set has none, and matches an empty value all the same.
  package func tokens(of itemClass: ItemClass, _ attributes: ItemAttributes) -> [Token] {
    attributes.values.compactMap { code, value in
      itemClass.indexedAttributes.contains(code) && !value.isDefault ? token(code, value) : nil
    }
  }

  /// The blind index entry for an attribute and its value.
  package func token(_ code: AttributeCode, _ value: AttributeValue) -> Token {
    var writer = ByteWriter()
    writer.u32(code.rawValue)
    writer.data(value.matchBytes)
    return Token(identity.keyedHash16(writer.bytes, domain: .token))
  }
}
