internal import CofferCrypto
package import CofferFormat
internal import CofferKeys
package import CofferPlatform
internal import CofferStore
internal import CofferTrust
package import CofferVault

/// A version of an item that does not count, because the membership log does not let its author write it.
package struct RefusedRecord: Sendable {
  /// What keeps an owner from adopting a record.
  package enum Obstacle: String, Hashable, Sendable {
    /// Its signer is not in the log.
    case unknownAuthor = "unknown-author"
    /// This owner has no key that opens it.
    case noKey = "no-key"
    /// Its contents are not what its signed part says.
    case damaged
    /// The item has a version that the record's author had not seen, which adopting it would replace.
    case itemChanged = "item-changed"
    /// A version that counts follows it: somebody has adopted it, or has written over it.
    case followed
  }

  package let hash: RecordHash
  /// Who wrote it; nil if the log does not contain the author.
  package let writer: ItemWriter?
  /// The full name of the access group; nil if the log does not contain it.
  package let group: String?
  /// When it was written, by its author's clock.
  package let written: Date
  package let itemClass: ItemClass
  package let isDeletion: Bool
  /// The attributes; nil for a deletion, and if they cannot be opened.
  package let attributes: ItemAttributes?
  /// Why it does not count, as a clause.
  package let reason: String
  /// What keeps an owner from adopting it; nil for nothing.
  package let obstacle: Obstacle?

  /// The identifier by which commands name the record.
  package var identifier: String { hash.raw.hex }
}

/// Versions that do not count, for their owner to look at, and to adopt or discard.
extension Vault {
  /// Returns the refused records of this vault without values, those that were written last first.
  package func refusedRecords() throws(VaultError) -> [RefusedRecord] {
    let device = try local.deviceFile()
    return try reading { reader, context in
      let refused = try Self.refusedVersions(reader, context, device)
      var found: [RefusedRecord] = []
      try reader.forEachRefusedRecord(in: context.membership, openedBy: device) { record in
        found.append(try context.describe(record, among: refused, reader))
      }
      return found.sorted { ($0.written, $0.identifier) > ($1.written, $1.identifier) }
    }
  }

  /// Writes refused records again as the vault's own author, all or none, in the order in which they were written. With
  /// `overNewer`, replaces versions that the records' authors had not seen; otherwise these throw `itemChanged`. Throws
  /// `invalidArgument` for a record that was adopted before. If it throws, nothing has changed.
  package func adopt(_ hashes: Set<RecordHash>, overNewer: Bool = false) throws(VaultError) {
    let device = try local.deviceFile()
    try writing { writer, context in
      let refused = try Self.refusedVersions(writer, context, device)
      var records: [Record] = []
      try writer.forEachRefusedRecord(in: context.membership, openedBy: device) { record in
        if hashes.contains(record.hash) { records.append(record) }
      }
      guard records.count == hashes.count else {
        throw VaultError(
          .itemNotFound, "a refused version is not there any more", recoverySuggestion: "list them with: coffer refused"
        )
      }
      for record in records.sorted(by: { $1.wins(over: $0) }) {
        try context.adopt(record, among: refused, overNewer: overNewer, writer)
      }
    }
  }

  /// Takes refused records off the list, all or none. The contents of those that no entry of the log will ever permit
  /// are deleted, unless a segment that counts has them; the others count once the log permits them. Throws
  /// `invalidArgument` if more are discarded than this machine remembers. If it throws, nothing has changed.
  package func discard(_ hashes: Set<RecordHash>) throws(VaultError) {
    let device = try local.deviceFile()
    try writing { writer, context in
      var copies: [(hash: RecordHash, copy: RecordHash, isFinal: Bool)] = []
      let isUndisputed = try local.branches(in: writer).fork == nil
      try writer.forEachRefusedCopy(in: context.membership, openedBy: device) { record in
        guard hashes.contains(record.hash) else { return }
        let author = context.membership.authors[record.header.author]
        let isFinal = isUndisputed && (author.map { $0.cut(in: record.header.group) != nil } ?? true)
        copies.append((record.hash, record.copyHash, isFinal))
      }
      guard Set(copies.map(\.hash)) == hashes else {
        throw VaultError(
          .itemNotFound, "a refused version is not there any more", recoverySuggestion: "list them with: coffer refused"
        )
      }
      var discarded = try DiscardedRecords.load(from: writer)
      for (_, copy, isFinal) in copies where try !isFinal || !writer.discardContents(copy) { discarded.insert(copy) }
      guard try discarded.save(to: writer) else {
        throw VaultError(
          .invalidArgument, "this machine remembers at most \(DiscardedRecords.cap) discarded versions",
          recoverySuggestion: "leave the others on the list: they harm nothing; nothing was changed")
      }
    }
  }

  private static func refusedVersions(
    _ reader: borrowing some StoreAccess & ~Copyable, _ context: AccessContext, _ device: DeviceFile
  ) throws -> RefusedVersions {
    var bases: [RecordHash: [RecordHash]] = [:]
    try reader.forEachRefusedRecord(in: context.membership, openedBy: device) { bases[$0.hash] = $0.header.bases }
    return RefusedVersions(bases)
  }
}

/// Lists refused records, and writes them again under the owner's own signature.
extension AccessContext {
  func describe(
    _ record: Record, among refused: RefusedVersions, _ reader: borrowing some StoreAccess & ~Copyable
  ) throws -> RefusedRecord {
    let header = record.header
    let isAuthorKnown = membership.authors[header.author] != nil
    let group = groups.first { $0.id == header.group }
    var attributes: ItemAttributes?
    var obstacle: RefusedRecord.Obstacle?
    do throws(VaultError) {
      if let group { attributes = try draft(of: record, in: group)?.attributes } else { obstacle = .noKey }
    } catch {
      obstacle = error.code == .notEntitled ? .noKey : .damaged
    }
    if obstacle == nil { obstacle = try self.obstacle(to: record, in: group, among: refused, reader) }
    return RefusedRecord(
      hash: record.hash, writer: isAuthorKnown ? membership.writer(of: record) : nil, group: group?.name,
      written: header.time.date, itemClass: header.itemClass, isDeletion: header.isTombstone, attributes: attributes,
      reason: reason(for: record), obstacle: obstacle)
  }

  private func obstacle(
    to record: Record, in group: AccessibleGroup?, among refused: RefusedVersions,
    _ reader: borrowing some StoreAccess & ~Copyable
  ) throws -> RefusedRecord.Obstacle? {
    guard membership.authors[record.header.author] != nil, let group else { return .unknownAuthor }
    if try reader.isFollowed(record.hash) { return .followed }
    let heads = try replaceableHeads(of: record.header.item, in: group, reader).heads
    let isUnseen = heads?.all.contains { head in
      !refused.hasSeen(head.hash, over: head.header.bases, by: record.hash)
    }
    return isUnseen == true ? .itemChanged : nil
  }

  /// Returns the opened contents of a refused record; nil for a deletion.
  private func draft(of record: Record, in group: AccessibleGroup) throws(VaultError) -> ItemDraft? {
    let header = record.header
    guard group.registered.generations.indices.contains(Int(header.generation) - 1) else {
      throw VaultError(
        .notEntitled, "the membership log does not contain the key of \(group.name) that was used",
        recoverySuggestion: Self.noKeySuggestion)
    }
    guard !header.isTombstone else {
      // Only who has the key may say that the deletion counts.
      _ = try keyring.keys(for: record, of: group.registered)
      return nil
    }
    do throws(VaultError) {
      let (attributes, value) = try contents(of: record, in: group, withValue: true)
      return ItemDraft(itemClass: header.itemClass, attributes: attributes, value: value ?? [])
    } catch {
      guard error.code == .integrity else { throw error }
      throw VaultError(
        .integrity, "the refused version \(Self.short(record)) is damaged: \(error.message)",
        recoverySuggestion: "write the item yourself if its value is right")
    }
  }

  private func reason(for record: Record) -> String {
    let header = record.header
    if let cut = membership.authors[header.author]?.cut(in: header.group) {
      return "its author lost the right to write it (entry \(cut.revocation.sequence) of the log)"
    }
    let count = UnadmittedCount(author: header.author, group: header.group, device: nil, isPending: false, count: 1)
    return UnadmittedRecords.Entry(count, in: membership).reason
  }

  /// Writes the contents of a refused record as the next version of its item. The version names the record as one that
  /// it follows, so every machine knows that it was adopted. With `overNewer`, a version that the record's author had
  /// not seen is replaced too; otherwise it throws `itemChanged`. Throws `invalidArgument` if the record was
  /// adopted or discarded.
  func adopt(
    _ record: Record, among refused: RefusedVersions, overNewer: Bool, _ writer: borrowing StoreWriter
  ) throws {
    guard let group = groups.first(where: { $0.id == record.header.group }) else {
      throw VaultError(
        .notEntitled,
        "the membership log does not contain the access group of the refused version \(Self.short(record))",
        recoverySuggestion: Self.noKeySuggestion)
    }
    _ = try writableGroup(named: group.name)
    let draft = try draft(of: record, in: group)
    switch try obstacle(to: record, in: group, among: refused, writer) {
    case nil: break
    case .itemChanged where overNewer: break
    case .itemChanged:
      throw VaultError(
        .itemChanged, "the item was changed by a machine that had not seen the refused version \(Self.short(record))",
        recoverySuggestion:
          "compare the two; --force makes the refused version the current one, and keeps the other in "
          + "the history")
    case .followed:
      throw VaultError(
        .invalidArgument, "the refused version \(Self.short(record)) was adopted or replaced already",
        recoverySuggestion: "see what is left with: coffer refused")
    case .unknownAuthor, .noKey, .damaged:
      throw VaultError(
        .notEntitled, "the membership log does not contain the signer of the refused version \(Self.short(record))",
        recoverySuggestion: "write the item yourself if its value is right")
    }
    let heads = try replaceableHeads(of: record.header.item, in: group, writer).heads
    if let draft {
      // Under the key that its author had: the item then counts as one whose value those know who were removed.
      try writeVersion(
        draft, of: record.header.item, over: heads, damaged: [record.hash], generation: record.header.generation,
        in: group, writer)
    } else {
      try writeTombstone(
        record.header.item, of: record.header.itemClass, over: heads, damaged: [record.hash], in: group, writer)
    }
  }

  private static let noKeySuggestion =
    "run `coffer sync`; if the key does not arrive, nobody but the author can read the version"

  private static func short(_ record: Record) -> String { String(record.hash.raw.hex.prefix(12)) }
}

/// The refused records of a vault, by which one that follows others is recognised.
///
/// An object, because it remembers what it has found: a chain of refused records would otherwise be walked to its
/// beginning for each of them.
package final class RefusedVersions {
  private let bases: [RecordHash: [RecordHash]]
  /// Whether the author of a refused record had seen a version, by version and record.
  private var known: [RecordHash: [RecordHash: Bool]] = [:]

  /// Takes the bases of each refused record.
  package init(_ bases: [RecordHash: [RecordHash]]) { self.bases = bases }

  /// Whether the author of a refused record had seen a version that counts, or a refused record that it follows:
  /// directly, or as a base of another refused record. If so, adopting the record does not replace the version unseen.
  package func hasSeen(_ head: RecordHash, over headBases: [RecordHash], by record: RecordHash) -> Bool {
    let targets = Set(headBases.filter { bases[$0] != nil }).union([head])
    // Removed, because two references to a dictionary would copy it at the first change.
    var found = known.removeValue(forKey: head) ?? [:]
    var open = [record]
    while let next = open.last {
      let earlier = bases[next] ?? []
      if found[next] != nil {
        open.removeLast()
      } else if !targets.isDisjoint(with: earlier) || earlier.contains(where: { found[$0] == true }) {
        found[next] = true
        open.removeLast()
      } else {
        let unknown = earlier.filter { bases[$0] != nil && found[$0] == nil }
        if unknown.isEmpty {
          found[next] = false
          open.removeLast()
        } else {
          open += unknown
        }
      }
    }
    known[head] = found
    return found[record] == true
  }
}
