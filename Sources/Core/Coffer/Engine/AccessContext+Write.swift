internal import CofferAgent
internal import CofferCrypto
package import CofferFormat
internal import CofferKeys
internal import CofferStore
internal import CofferTrust
internal import CofferVault

/// Another author than that of a context, as whom a version is signed.
struct VersionSigner {
  let id: AuthorID
  let sign: (UnsignedRecord) throws(VaultError) -> Signature
}

extension AccessContext {
  // MARK: Adding and setting

  /// Adds an item or, if it exists, replaces it: `replacing` merges the draft's attributes into those of the existing
  /// item. If it is nil, an existing item throws `duplicateItem`. Returns the attributes as they are stored.
  func upsert(
    _ draft: ItemDraft, in group: AccessibleGroup, _ writer: borrowing StoreWriter,
    replacing: ((ItemAttributes) throws -> ItemAttributes)? = nil
  ) throws -> ItemAttributes {
    var draft = draft
    try Self.check(draft)
    let keys = try keyring.currentKeys(of: group.registered)
    let item = keys.itemID(
      draft.itemClass, isSynchronizable: draft.attributes.isSynchronizable, attributes: draft.attributes)
    // Setting a damaged item repairs it. Adding must not: a damaged version may be live.
    let (heads, damaged) =
      replacing == nil
      ? (try heads(of: item, in: group, writer, withValues: false), nil)
      : try replaceableHeads(of: item, in: group, writer)
    let now = Timestamp.now
    if let heads, heads.isLive, replacing == nil { throw Self.duplicate(in: group) }
    if let heads, heads.isLive, let replacing, let existing = try usableAttributes(of: heads.winner, in: group) {
      draft.attributes = try replacing(existing)
      draft.attributes[.modified] = .date(max(now, existing.date(.modified) ?? now))
    } else {
      draft.attributes = Self.completed(draft.attributes, of: draft.itemClass, at: now)
    }
    try Self.check(draft)
    try writeVersion(draft, of: item, over: heads, damaged: damaged, in: group, writer)
    return draft.attributes
  }

  /// Returns the attributes of a version; nil if its author has sealed something else, so that the next version keeps
  /// nothing of it.
  func usableAttributes(of record: Record, in group: AccessibleGroup) throws(VaultError) -> ItemAttributes? {
    do throws(VaultError) {
      return try contents(of: record, in: group, withValue: false).attributes
    } catch {
      guard error.code == .integrity else { throw error }
      return nil
    }
  }

  static func duplicate(in group: AccessibleGroup) -> VaultError {
    VaultError(
      .duplicateItem, "the access group \(group.name) has this item already",
      recoverySuggestion: "set it instead of adding it")
  }

  /// Returns the attributes of a new item, with defaults, dates and a persistent reference.
  private static func completed(
    _ attributes: ItemAttributes, of itemClass: ItemClass, at now: Timestamp
  ) -> ItemAttributes {
    var attributes = attributes.completingPrimaryKey(of: itemClass)
    if attributes[.accessible] == nil {
      attributes[.accessible] = .string(
        (itemClass == .certificate ? ItemAccessibility.always : ItemAccessibility.whenUnlocked).rawValue)
    }
    attributes[.created] = .date(now)
    attributes[.modified] = .date(now)
    attributes.addPersistentReference()
    return attributes
  }

  static let maximumTextByteCount = 1 << 20

  /// Throws `invalidArgument` if the value or the attributes exceed the limits. The error does not repeat them.
  static func check(_ draft: ItemDraft) throws(VaultError) {
    guard draft.value.count <= Limits.valueByteCount else {
      throw VaultError(
        .invalidArgument, "the value has \(draft.value.count) bytes", recoverySuggestion: "use at most 16 MiB")
    }
    var total = 0
    for (code, value) in draft.attributes.values {
      let count = value.matchBytes.count
      total += count
      guard count <= maximumTextByteCount else {
        throw VaultError(
          .invalidArgument, "the attribute \(code.name) has \(count) bytes", recoverySuggestion: "use at most 1 MiB")
      }
    }
    guard total <= Limits.attributesByteCount - (64 << 10) else {
      throw VaultError(
        .invalidArgument, "the attributes have \(total) bytes together", recoverySuggestion: "keep them under 4 MiB")
    }
  }

  // MARK: Versions

  /// Seals, signs and inserts a version that follows `heads` and replaces the damaged versions: under the newest keys,
  /// or under those of an earlier generation; now, or as if it had been written at another time; as this author, or as
  /// `signer`. Its time is after those of `heads`.
  func writeVersion(
    _ draft: ItemDraft, of item: ItemID, over heads: ItemHeads?, damaged: [RecordHash]? = nil,
    keepingPlaceOf predecessor: RecordHash? = nil, generation: UInt32? = nil, at time: Timestamp = .now,
    signedBy signer: VersionSigner? = nil, in group: AccessibleGroup, _ writer: borrowing StoreWriter
  ) throws {
    let bases: [RecordHash]
    var predecessor = predecessor
    var time = heads.map { max(time, $0.winner.header.time.next) } ?? time
    if draft.isDeviceLocal, let heads, !heads.isDeviceLocal {
      // Other machines get a tombstone; the versions that follow never leave this machine.
      if heads.isLive { predecessor = predecessor ?? heads.winner.hash }
      bases = [
        try writeTombstone(item, of: draft.itemClass, over: heads, damaged: damaged, at: time, in: group, writer)
      ]
      time = time.next
    } else {
      bases = try self.bases(
        after: heads, damaged: damaged, isDeviceLocal: draft.isDeviceLocal, of: item, draft.itemClass, in: group, writer
      )
    }
    let shared =
      try generation.map { try keyring.keys(of: group.registered, generation: $0) }
      ?? keyring.currentKeys(of: group.registered)
    let keys = draft.isDeviceLocal ? try keyring.deviceLocal(shared) : shared
    let header = RecordHeader(
      vault: membership.vault, group: group.id, generation: keys.generation, item: item,
      itemClass: draft.itemClass, content: .value, isDeviceLocal: draft.isDeviceLocal, bases: bases, time: time,
      created: draft.attributes.date(.created) ?? .now, author: signer?.id ?? author.id,
      tokens: shared.tokens(of: draft.itemClass, draft.attributes))
    let record = try Record(
      header: header, attributes: draft.attributes, value: draft.value, keys: keys, sign: signer?.sign ?? self.keys.sign
    )
    try insert(record, keepingPlaceOf: predecessor, writer)
  }

  /// Deletes an item: inserts a tombstone that follows `heads` and replaces the damaged versions. Its time is after
  /// those of `heads`.
  @discardableResult
  func writeTombstone(
    _ item: ItemID, of itemClass: ItemClass, over heads: ItemHeads?, damaged: [RecordHash]? = nil,
    successor: ItemID? = nil, at time: Timestamp = .now, in group: AccessibleGroup, _ writer: borrowing StoreWriter
  ) throws -> RecordHash {
    let keys = try keyring.currentKeys(of: group.registered)
    let isDeviceLocal = heads?.isOnlyDeviceLocal ?? false
    let bases = try bases(
      after: heads, damaged: damaged, isDeviceLocal: isDeviceLocal, of: item, itemClass, in: group, writer)
    let header = RecordHeader(
      vault: membership.vault, group: group.id, generation: keys.generation, item: item, itemClass: itemClass,
      content: .tombstone(successor: successor), isDeviceLocal: isDeviceLocal, bases: bases,
      time: heads.map { max(time, $0.winner.header.time.next) } ?? time, author: author.id, tokens: [])
    let record = try Record(header: header, attributes: nil, value: [], keys: keys, sign: self.keys.sign)
    try insert(record, writer)
    return record.hash
  }

  func insert(
    _ record: Record, keepingPlaceOf predecessor: RecordHash? = nil, _ writer: borrowing StoreWriter
  ) throws {
    try writer.insert(
      record, validity: .valid, intoOutbox: true, verification: verifier.verification(of: record),
      keepingPlaceOf: predecessor)
  }

  // MARK: Updating and deleting

  /// Updates every item that a search finds, and returns their number. If `withValues` is false, `change` must set the
  /// value of each draft. `groupName` is the group to move the items to, as users write it; nil leaves them in their
  /// group. Throws `duplicateItem` if two items would have the same primary key.
  func update(
    _ search: ItemSearch, withValues: Bool, movingTo groupName: String?, _ writer: borrowing StoreWriter,
    _ change: (FoundItem, inout ItemDraft) throws -> Void
  ) throws -> Int {
    let destination = try groupName.map { name throws(VaultError) in try writableGroup(named: name) }
    // Find all of them first: an item must not be found again in the group that it was moved to.
    let writable = try writableGroups(named: search.group)
    let found = try findAll(search, in: writable, writer, withValues: withValues)
    for old in found {
      guard let group = writable.first(where: { $0.id == old.groupID }) else { continue }
      var draft = ItemDraft(itemClass: old.itemClass, attributes: old.attributes, value: old.value ?? [])
      try change(old, &draft)
      try replace(old, in: group, with: draft, in: destination ?? group, writer)
    }
    return found.count
  }

  /// Replaces an item that was found by a draft, which may have another primary key or be in another group. Returns the
  /// item's identifier in the destination.
  @discardableResult
  func replace(
    _ old: FoundItem, in source: AccessibleGroup, with changed: ItemDraft, in destination: AccessibleGroup,
    _ writer: borrowing StoreWriter
  ) throws -> ItemID {
    var draft = changed
    var attributes = changed.attributes.completingPrimaryKey(of: old.itemClass)
    // The persistent reference and the creation date survive every change.
    attributes[.persistentReference] = old.attributes[.persistentReference] ?? changed.attributes[.persistentReference]
    attributes[.created] = attributes[.created] ?? old.attributes[.created]
    let now = Timestamp.now
    attributes[.modified] = .date(max(now, old.attributes.date(.modified) ?? now))
    draft.attributes = attributes
    try Self.check(draft)
    let item = try keyring.currentKeys(of: destination.registered)
      .itemID(old.itemClass, isSynchronizable: attributes.isSynchronizable, attributes: attributes)
    let oldHeads = try heads(of: old.item, in: source, writer, withValues: false)
    guard item != old.item || destination.id != source.id else {
      try writeVersion(draft, of: item, over: oldHeads, in: destination, writer)
      return item
    }
    let newHeads = try heads(of: item, in: destination, writer, withValues: false)
    guard newHeads?.isLive != true else {
      throw VaultError(
        .duplicateItem, "the access group \(destination.name) has an item with these attributes already",
        recoverySuggestion: "delete one of the two first")
    }
    let successor = destination.id == source.id ? item : nil
    try writeTombstone(old.item, of: old.itemClass, over: oldHeads, successor: successor, in: source, writer)
    try writeVersion(draft, of: item, over: newHeads, keepingPlaceOf: old.version, in: destination, writer)
    return item
  }

  /// Deletes every item that a search finds. A damaged item is deleted if the search has its complete primary key.
  /// Returns their number.
  func delete(_ search: ItemSearch, _ writer: borrowing StoreWriter) throws -> Int {
    let writable = try writableGroups(named: search.group)
    var count = 0
    if search.limit == nil, search.conditions.isEmpty, search.hasOnlyPrimaryKey {
      for group in writable {
        for item in search.itemIDs(try keyring.currentKeys(of: group.registered)) ?? [] {
          let (heads, damaged) = try replaceableHeads(of: item, in: group, writer)
          guard damaged != nil || heads?.isLive == true else { continue }
          try writeTombstone(item, of: search.itemClass, over: heads, damaged: damaged, in: group, writer)
          count += 1
        }
      }
      return count
    }
    for found in try findAll(search, in: writable, writer, withValues: false) {
      guard let group = writable.first(where: { $0.id == found.groupID }) else { continue }
      let heads = try heads(of: found.item, in: group, writer, withValues: false)
      try writeTombstone(found.item, of: found.itemClass, over: heads, in: group, writer)
      count += 1
    }
    return count
  }
}

/// The content of an item that is about to be written: everything that is sealed.
package struct ItemDraft: Sendable {
  package let itemClass: ItemClass
  package var attributes: ItemAttributes
  package var value: [UInt8]

  package init(itemClass: ItemClass, attributes: ItemAttributes, value: [UInt8]) {
    self.itemClass = itemClass
    self.attributes = attributes
    self.value = value
  }

  /// Whether the item must not leave this machine: its accessibility ends in `ThisDeviceOnly`.
  var isDeviceLocal: Bool { ItemAccessibility(attributes)?.isThisDeviceOnly ?? false }
}

extension ItemAttributes {
  /// The 16 random bytes of the persistent reference; empty for an item that was never stored.
  package var identifier: [UInt8] { self[.persistentReference]?.matchBytes ?? [] }

  /// The attributes without dates and reference, which are not part of the item: a copy of it must be able to name
  /// another one.
  var ownAttributes: ItemAttributes { removing([.created, .modified, .persistentReference]) }

  /// Adds a persistent reference if there is none of 16 bytes.
  package mutating func addPersistentReference() {
    if identifier.count != 16 { self[.persistentReference] = .data(Random.bytes(count: 16)) }
  }
}
