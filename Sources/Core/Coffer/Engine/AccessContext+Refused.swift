internal import CofferCrypto
internal import CofferFormat
internal import CofferKeys
internal import CofferStore
internal import CofferTrust
internal import CofferVault

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
  /// it follows, so every machine knows that it is settled. With `overNewer`, a version that the record's author had
  /// not seen is replaced too; otherwise it throws `itemChanged`. Throws `invalidArgument` if the record is settled
  /// already.
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
