internal import CofferFormat
internal import CofferStore
internal import CofferTrust

extension AccessContext {
  func version<Item: KeychainItem>(
    _ record: Record, in group: AccessibleGroup, isCurrent: Bool
  ) throws(VaultError) -> ItemVersion<Item> {
    let item = try translatingErrors {
      try record.header.isTombstone
        ? nil : StoredItem<Item>(open(record, in: group, withValue: false, hasConflict: false)).item
    }
    return ItemVersion(
      item: item, group: group.name, written: record.header.time.date, writer: membership.writer(of: record),
      isCurrent: isCurrent, groupID: group.id, hash: record.hash)
  }

  /// A version by its identity, verified.
  func record(
    _ hash: RecordHash, in group: GroupID, _ reader: borrowing some StoreAccess & ~Copyable
  ) throws -> (Record, AccessibleGroup) {
    guard let group = groups.first(where: { $0.group.id == group }) else {
      throw VaultError(.notEntitled, "the version is of an access group that the app no longer has")
    }
    guard let row = try reader.record(hash, verifiedBy: author.id) else {
      throw VaultError(
        .itemNotFound, "this machine no longer keeps that version", mend: "superseded versions are kept for 30 days")
    }
    let record = try row.record()
    guard record.hash == hash else { throw Self.damaged("a row holds another version than it says", in: group) }
    let verified = VerifiedRecords([row], item: record.header.item, in: group, self)
    if let problem = verified.problem { throw Self.damaged(problem, in: group) }
    guard let valid = verified.valid.first else {
      throw VaultError(
        .itemNotFound, "that version does not count any more", mend: "its author lost the right to write")
    }
    return (valid, group)
  }
}
