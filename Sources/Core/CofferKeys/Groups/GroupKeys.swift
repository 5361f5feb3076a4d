package import CofferCrypto
package import CofferFormat

/// One generation of a group's key, with the group's constant identity key: the 64 bytes in a box.
package struct GroupKeys: Sendable {
  package let group: GroupID
  /// The number of the generation, 1 for the first.
  package let generation: UInt32
  private let key: SymmetricKey
  private let identity: SymmetricKey
  private let sealing: SymmetricKey

  /// Generates random keys for a new group.
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

  /// Returns the same keys for items that stay on the machine with `localSecret` (32 bytes). Nobody can open these
  /// items with the group's keys alone.
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

  /// Creates keys from the 64 secret bytes of a box.
  package init(group: GroupID, generation: UInt32, secret: SecretBytes) throws(CryptoError) {
    guard secret.count == 64 else { throw .invalidSize }
    self.init(
      group: group, generation: generation, key: try SymmetricKey(secret.slice(0..<32)),
      identity: try SymmetricKey(secret.slice(32..<64)))
  }

  /// The 64 secret bytes for a box.
  package var secret: SecretBytes { SecretBytes(joining: key.secret, identity.secret) }

  /// The commitment to these keys in the log, which does not reveal them.
  package var commitment: Bytes32 { Hash.commitment(to: secret, domain: .keyCommitment) }

  /// Generates the keys of a later generation, with the same identity key.
  package func later(generation: UInt32) -> GroupKeys {
    GroupKeys(group: group, generation: generation, key: .random(), identity: identity)
  }

  /// Seals `previous`, so that a reader of this generation can also read that earlier one.
  package func wrap(_ previous: GroupKeys) -> [UInt8] {
    key.derived(context: "CfGrWrap").seal(previous.secret, associated: wrapContext(of: previous.generation))
  }

  /// Opens an earlier generation, which ``wrap(_:)`` sealed. Throws ``CryptoError/invalidSize`` if `generation` is not
  /// an earlier one.
  package func unwrap(_ wrapped: [UInt8], generation: UInt32) throws(CryptoError) -> GroupKeys {
    guard generation < self.generation else { throw .invalidSize }
    let secret = try key.derived(context: "CfGrWrap").openSecret(wrapped, associated: wrapContext(of: generation))
    return try GroupKeys(group: group, generation: generation, secret: secret)
  }

  /// Seals a key of a branch of the log that root rejects, so that a reader of this generation can read what was
  /// written under it. Its number can be that of any generation.
  package func wrapRecovered(_ other: GroupKeys) -> [UInt8] {
    key.derived(context: "CfGrRecv").seal(other.secret, associated: wrapContext(of: other.generation))
  }

  /// Opens a key that ``wrapRecovered(_:)`` sealed.
  package func unwrapRecovered(_ wrapped: [UInt8], generation: UInt32) throws(CryptoError) -> GroupKeys {
    let secret = try key.derived(context: "CfGrRecv").openSecret(wrapped, associated: wrapContext(of: generation))
    return try GroupKeys(group: group, generation: generation, secret: secret)
  }

  /// Whether both give items the same identifiers.
  package func hasIdentity(of other: GroupKeys) -> Bool {
    identity.keyedHash16([], domain: .item) == other.identity.keyedHash16([], domain: .item)
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

  /// Returns the identifier of the item with a class and primary key in this group. Missing attributes, empty text and
  /// zero are equivalent.
  package func itemID(_ itemClass: ItemClass, isSynchronizable: Bool, attributes: ItemAttributes) -> ItemID {
    var writer = ByteWriter()
    writer.u32(itemClass.rawValue)
    writer.bool(isSynchronizable)
    for code in itemClass.primaryKey {
      writer.u32(code.rawValue)
      switch attributes[code] {
      case .string(let text)?: writer.string(text)
      case let value? where !value.isDefault: writer.data(value.matchBytes)
      default: writer.data([])
      }
    }
    return ItemID(identity.keyedHash16(writer.bytes, domain: .item))
  }

  /// Returns the blind index entries of an item or a search: one for each indexed attribute with a value. An attribute
  /// that is empty or zero has no entry, as if it had never been set.
  package func tokens(of itemClass: ItemClass, _ attributes: ItemAttributes) -> [Token] {
    attributes.values.compactMap { code, value in
      itemClass.indexedAttributes.contains(code) && !value.isDefault ? token(code, value) : nil
    }
  }

  /// Returns the blind index entry for an attribute and its value.
  package func token(_ code: AttributeCode, _ value: AttributeValue) -> Token {
    var writer = ByteWriter()
    writer.u32(code.rawValue)
    writer.data(value.matchBytes)
    return Token(identity.keyedHash16(writer.bytes, domain: .token))
  }
}

extension Record {
  /// Seals and signs a version under a group's keys. A tombstone has no attributes and no value.
  package init(
    header: RecordHeader, attributes: ItemAttributes?, value: [UInt8], keys: GroupKeys, signer: SigningKey
  ) {
    self.init(header: header, attributes: attributes, value: value, keys: keys) { $0.signature(by: signer) }
  }

  /// Seals and signs a version like ``init(header:attributes:value:keys:signer:)``, with a signature that `sign` makes.
  /// Rethrows its error.
  package init<Failure: Error>(
    header: RecordHeader, attributes: ItemAttributes?, value: [UInt8], keys: GroupKeys,
    sign: (UnsignedRecord) throws(Failure) -> Signature
  ) throws(Failure) {
    try self.init(header: header, sign: sign) { part, headerHash in
      let plain =
        switch part {
        case .attributes: (attributes ?? ItemAttributes()).bytes
        case .value: value
        }
      return keys.seal(part, plain, headerHash: headerHash)
    }
  }

  /// Opens the attributes, and verifies that they are those of the item that the header names. Whoever may write the
  /// group can sign a version of one item with the attributes of another one: a reader that looks for the first would
  /// return the value of the second. Throws `invalidValue` for the attributes of another item.
  package func attributes(with keys: GroupKeys) throws(FormatError) -> ItemAttributes {
    let attributes = try ItemAttributes(bytes: try open(.attributes, sealedAttributes, keys))
    let item = keys.itemID(
      header.itemClass, isSynchronizable: attributes.isSynchronizable, attributes: attributes)
    guard item == header.item else {
      throw FormatError(.invalidValue, object: ObjectKind.record.name, field: "item")
    }
    return attributes
  }

  /// Opens the attributes and the value, and verifies them like ``attributes(with:)``.
  package func contents(with keys: GroupKeys) throws(FormatError) -> (attributes: ItemAttributes, value: [UInt8]) {
    (try attributes(with: keys), try value(with: keys))
  }

  /// Opens the value. Not for other targets: only the attributes tell whose value it is.
  func value(with keys: GroupKeys) throws(FormatError) -> [UInt8] { try open(.value, sealedValue, keys) }

  private func open(_ part: RecordPart, _ sealed: [UInt8], _ keys: GroupKeys) throws(FormatError) -> [UInt8] {
    do throws(CryptoError) {
      return try keys.open(part, sealed, headerHash: headerHash)
    } catch {
      throw FormatError(.doesNotOpen, object: ObjectKind.record.name, field: part == .value ? "value" : "attributes")
    }
  }
}
