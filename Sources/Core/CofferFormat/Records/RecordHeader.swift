internal import CofferCrypto

/// The part of a record that its author signs.
package struct RecordHeader: Hashable, Sendable {
  /// The kind of version: a value or the end of the item.
  package enum Content: Hashable, Sendable {
    case value
    /// The item was deleted. If its primary key changed, `successor` is its new identifier.
    case tombstone(successor: ItemID?)
  }

  package let vault: VaultID
  package let group: GroupID
  /// The generation of the group key that seals the parts.
  package let generation: UInt32
  package let item: ItemID
  package let itemClass: ItemClass
  package let content: Content
  /// True for an item that stays on this machine and is never synced.
  package let isDeviceLocal: Bool
  /// The heads that the author saw when it wrote this version, or tombstones that cover them, in ascending order, at
  /// most 16.
  package let bases: [RecordHash]
  package let time: Timestamp
  /// When the item was created, for the order of lists. Nil in a tombstone.
  package let created: Timestamp?
  package let author: AuthorID
  /// The tokens in ascending order, at most 64; empty in a tombstone.
  package let tokens: [Token]

  package init(
    vault: VaultID, group: GroupID, generation: UInt32, item: ItemID, itemClass: ItemClass, content: Content,
    isDeviceLocal: Bool, bases: [RecordHash], time: Timestamp, created: Timestamp? = nil, author: AuthorID,
    tokens: [Token]
  ) {
    self.vault = vault
    self.group = group
    self.generation = generation
    self.item = item
    self.itemClass = itemClass
    self.content = content
    self.isDeviceLocal = isDeviceLocal
    let bases = Set(bases)
    precondition(bases.count <= Limits.bases, "a record names too many bases: tombstones cover the others")
    self.bases = bases.sorted()
    self.time = time
    self.created = content == .value ? created ?? time : nil
    self.author = author
    self.tokens = content == .value ? Set(tokens).sorted() : []
  }

  /// True if this version deletes the item.
  package var isTombstone: Bool { content != .value }

  /// The time by which lists, which begin with the oldest item, place the item.
  package var orderTime: Timestamp { created ?? time }

  /// The offset of the generation, in the header's bytes.
  package static let generationOffset = ObjectKind.record.magic.count + 1 + 16 + 16

  /// The offset of the byte that says whether a version with a value stays on this machine, in the header's bytes.
  package static let deviceLocalOffset = generationOffset + 4 + 16 + 4 + 1

  /// The version of a header: only that of a value has the time of creation.
  private static func version(of content: Content) -> UInt8 { content == .value ? 2 : 1 }

  package func write(to writer: inout ByteWriter) {
    writer.fixed(ObjectKind.record.magic)
    writer.u8(Self.version(of: content))
    writer.fixed(vault.raw)
    writer.fixed(group.raw)
    writer.u32(generation)
    writer.fixed(item.raw)
    writer.u32(itemClass.rawValue)
    switch content {
    case .value: writer.u8(1)
    case .tombstone(nil): writer.u8(2)
    case .tombstone(let successor?):
      writer.u8(3)
      writer.fixed(successor.raw)
    }
    writer.bool(isDeviceLocal)
    writer.list(bases)
    writer.i64(time.microseconds)
    if let created { writer.i64(created.microseconds) }
    writer.fixed(author.raw)
    writer.list(tokens)
  }

  init(from reader: inout ByteReader) throws(FormatError) {
    let version = try reader.begin(.record, since: 1)
    vault = VaultID(try reader.bytes16("vault"))
    group = GroupID(try reader.bytes16("group"))
    generation = try reader.u32("generation")
    item = ItemID(try reader.bytes16("item"))
    guard let itemClass = ItemClass(rawValue: try reader.u32("class")) else {
      throw reader.failure(.invalidValue, "class")
    }
    self.itemClass = itemClass
    switch try reader.u8("content") {
    case 1: content = .value
    case 2: content = .tombstone(successor: nil)
    case 3: content = .tombstone(successor: ItemID(try reader.bytes16("successor")))
    default: throw reader.failure(.invalidValue, "content")
    }
    isDeviceLocal = try reader.bool("device local")
    bases = try reader.ascendingList("bases", cap: Limits.bases)
    time = Timestamp(microseconds: try reader.i64("time"))
    guard version == Self.version(of: content) else { throw reader.failure(.invalidValue, "version") }
    created = content == .value ? Timestamp(microseconds: try reader.i64("created")) : nil
    author = AuthorID(try reader.bytes16("author"))
    tokens = try reader.ascendingList("tokens", cap: Limits.tokens)
    guard content == .value || tokens.isEmpty else { throw reader.failure(.invalidValue, "tokens") }
  }
}
