package import CofferFormat
internal import CofferKeys
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
package import CofferVault

/// Calls for people, who see an item before they change it: each change names the revision that was seen.
extension Vault {
  // MARK: Reading

  /// Returns the items at addresses, in their order and without values, each nil if it no longer exists or its group
  /// cannot be read. `damaged` receives the error of each damaged item.
  package func items(
    at addresses: some Sequence<ItemAddress>, damaged: (VaultError) -> Void
  ) throws(VaultError) -> [FoundItem?] {
    try reading { reader, context in
      try addresses.map { address in
        guard let group = context.groups.first(where: { $0.id == address.group }) else { return nil }
        do throws(VaultError) {
          return try translatingErrors { () -> FoundItem? in
            guard let heads = try context.heads(of: address.item, in: group, reader, withValues: false), heads.isLive
            else { return nil }
            return try context.open(heads, in: group, withValue: false)
          }
        } catch {
          guard error.code == .integrity || error.code == .notEntitled else { throw error }
          damaged(error)
          return nil
        }
      }
    }
  }

  /// Returns the revisions of the items at addresses. Those that do not exist any more are left out.
  package func revisions(at addresses: some Sequence<ItemAddress>) throws(VaultError) -> [ItemRevision] {
    try reading { reader, context in
      try addresses.compactMap { address in
        guard let group = context.groups.first(where: { $0.id == address.group }),
          let heads = try context.heads(of: address.item, in: group, reader, withValues: false), heads.isLive
        else { return nil }
        return ItemRevision(heads)
      }
    }
  }

  /// Returns an item with its revision and its versions, all of the same moment, or nil if it does not exist. Of
  /// several items that the search finds and `isSought` accepts, the first counts.
  package func details(
    _ search: ItemSearch, where isSought: (FoundItem) -> Bool = { _ in true }
  ) throws(VaultError) -> FoundDetails? {
    try reading { reader, context in
      guard
        let item = try context.findAll(search, reader, withValues: false).first(where: isSought),
        let group = context.groups.first(where: { $0.id == item.groupID }),
        let heads = try context.heads(of: item.item, in: group, reader, withValues: false)
      else { return nil }
      return FoundDetails(
        item: item, revision: ItemRevision(heads),
        history: try context.history(of: item.item, in: group, reader) ?? FoundHistory(versions: [], damaged: []),
        isWritable: group.access == .readWrite)
    }
  }

  /// Returns the versions of the item at an address, also of a deleted one, and its revision; nil if the item was never
  /// written, or its group cannot be read.
  package func history(
    at address: ItemAddress
  ) throws(VaultError) -> (history: FoundHistory, revision: ItemRevision?)? {
    try reading { reader, context in
      guard let group = context.groups.first(where: { $0.id == address.group }),
        let history = try context.history(of: address.item, in: group, reader)
      else { return nil }
      return (history, try context.replaceableHeads(of: address.item, in: group, reader).heads.map { ItemRevision($0) })
    }
  }

  /// Returns the items of all classes that machines have changed at the same time: the revision of each and its
  /// concurrent versions, the current one first. Damaged items are left out: lists name them.
  package func conflictingVersions(
    in accessGroup: String? = nil
  ) throws(VaultError) -> [(revision: ItemRevision, versions: [FoundVersion])] {
    try reading { reader, context in
      try context.groups(named: accessGroup).flatMap { group in
        try context.conflicts(in: group, reader, damaged: { _ in }).items.compactMap { versions in
          guard let first = versions.first else { return nil }
          let revision = ItemRevision(address: first.address, heads: versions.map(\.hash))
          return (revision, versions)
        }
      }
    }
  }

  /// Returns deleted items of all classes whose versions this machine still has, by group: the revision of each and its
  /// versions, newest first. Items that were renamed or moved are left out. Returns at most `limit` items of each
  /// group, beginning with the last deletion that arrived here.
  package func deletedItems(
    in accessGroup: String?, limit: Int
  ) throws(VaultError) -> [(revision: ItemRevision, history: FoundHistory)] {
    try reading { reader, context in
      var deleted: [(revision: ItemRevision, history: FoundHistory)] = []
      for group in try context.groups(named: accessGroup) {
        let start = deleted.count
        for item in try reader.deletedItems(in: group.id) where deleted.count - start < limit {
          guard let heads = try context.replaceableHeads(of: item, in: group, reader).heads,
            heads.winner.header.content == .tombstone(successor: nil),
            let history = try context.history(of: item, in: group, reader),
            let last = history.versions.first(where: { $0.attributes != nil }), try !context.isElsewhere(last, reader)
          else { continue }
          deleted.append((ItemRevision(heads), history))
        }
      }
      return deleted
    }
  }

  /// Returns an opened version with its value as it is stored: a value under an application password is sealed. Nil for
  /// a version that deleted the item. Throws `itemNotFound` if this machine no longer keeps the version, or the item
  /// has no such version. With `keepingValue`, the caller shows the value to nobody: it compares or copies it.
  package func storedVersion(
    _ hash: RecordHash, of address: ItemAddress, keepingValue: Bool = false
  ) throws(VaultError) -> FoundItem? {
    if !keepingValue { try checkValuesMayLeave() }
    let found = try opened(hash, in: address.group)
    guard found.map({ $0.item == address.item }) ?? true else {
      throw VaultError(
        .itemNotFound, "that version belongs to another item",
        recoverySuggestion: "choose one of the item's history")
    }
    return found
  }

  /// Returns the number of live items of a class, or of all classes.
  package func itemCount(of itemClass: ItemClass?, in accessGroup: String?) throws(VaultError) -> Int {
    try reading { reader, context in
      try (itemClass.map { [$0] } ?? ItemClass.allCases).reduce(0) { count, itemClass in
        count + (try context.countAll(of: itemClass, in: accessGroup, reader))
      }
    }
  }

  /// Returns the items that were written after a position, and the position to ask with the next time. Without a
  /// position, returns only the present one.
  package func itemChanges(after position: ChangePosition?) throws(VaultError) -> ItemChanges {
    try reading { reader, context in
      let head = context.membership.head
      let (items, last) = try reader.itemsChanged(after: position?.row ?? .max)
      return ItemChanges(
        position: ChangePosition(log: head, row: last),
        addresses: position?.log == head ? items?.map { ItemAddress(group: $0.group, item: $0.item) } : nil)
    }
  }

  // MARK: Changing

  /// Changes an item that was seen, and returns its new revision. `name` is the group to move it to; nil leaves it in
  /// its group. If `withValue` is false, `change` must set the value of the draft. Throws `itemChanged` if another
  /// version was written since. If it throws, nothing has changed.
  package func replace(
    _ revision: ItemRevision, movingTo name: String?, withValue: Bool = true,
    _ change: (FoundItem, inout ItemDraft) throws -> Void
  ) throws(VaultError) -> ItemRevision {
    try writing { writer, context in
      let (group, heads) = try context.heads(seenAs: revision, writer)
      let destination = try name.map { name throws(VaultError) in try context.writableGroup(named: name) } ?? group
      guard
        let record = withValue
          ? try context.heads(of: revision.address.item, in: group, writer, withValues: true)?.winner : heads.winner
      else { throw ItemRevision.changed(by: nil) }
      let old = try context.open(record, in: group, withValue: withValue, hasConflict: heads.hasConflict)
      var draft = ItemDraft(itemClass: old.itemClass, attributes: old.attributes, value: old.value ?? [])
      try change(old, &draft)
      let item = try context.replace(old, in: group, with: draft, in: destination, writer)
      guard let heads = try context.heads(of: item, in: destination, writer, withValues: false) else {
        throw ItemRevision.changed(by: nil)
      }
      return ItemRevision(heads)
    }
  }

  /// Deletes items that were seen, all or none. Returns the deleted items, for ``restore(_:)-([DeletedItem])``. Throws
  /// `itemChanged` if another version of one of them was written since. If it throws, nothing has changed.
  package func delete(_ revisions: [ItemRevision]) throws(VaultError) -> [DeletedItem] {
    try writing { writer, context in
      try revisions.map { revision in
        let (group, heads) = try context.heads(seenAs: revision, writer)
        let tombstone = try context.writeTombstone(
          revision.address.item, of: heads.winner.header.itemClass, over: heads, in: group, writer)
        return DeletedItem(
          revision: ItemRevision(address: revision.address, heads: [tombstone]), version: heads.winner.hash)
      }
    }
  }

  /// Restores deleted items as they were, all or none. Throws `itemChanged` if one of them was written since the
  /// deletion, and `itemNotFound` if this machine no longer keeps the version. If it throws, nothing has changed.
  package func restore(_ items: [DeletedItem]) throws(VaultError) {
    try writing { writer, context in
      for item in items {
        _ = try context.heads(seenAs: item.revision, isLive: false, writer)
        try context.restore(item.version, in: item.address.group, isUndo: true, writer)
      }
    }
  }

  /// Makes an earlier version, or one of several concurrent ones, the current one, and returns the new revision. The
  /// item that was seen may be deleted. Throws `itemChanged` if another version was written since, `itemNotFound` if
  /// this machine no longer keeps the version, and `invalidArgument` for the deletion of an item that is deleted. If it
  /// throws, nothing has changed.
  package func restore(_ hash: RecordHash, over revision: ItemRevision) throws(VaultError) -> ItemRevision {
    try writing { writer, context in
      let (group, _) = try context.heads(seenAs: revision, isLive: nil, writer)
      guard try context.itemID(of: hash, in: group.id, writer) == revision.address.item else {
        throw VaultError(
          .itemNotFound, "that version belongs to another item",
          recoverySuggestion: "choose one of the item's history")
      }
      try context.restore(hash, in: group.id, writer)
      guard let heads = try context.heads(of: revision.address.item, in: group, writer, withValues: false) else {
        throw ItemRevision.changed(by: nil)
      }
      return ItemRevision(heads)
    }
  }

  /// Changes or deletes items in the versions in which they were found, all or none, and returns their number. `values`
  /// are the new values, one after the other. Throws `itemChanged` if one of the items has another current version now.
  package func apply(
    _ changes: [ItemChange], values: [UInt8], movingTo name: String?
  ) throws(VaultError) -> Int {
    var values = values[...]
    return try writing { writer, context in
      let destination = try name.map { name throws(VaultError) in try context.writableGroup(named: name) }
      for change in changes {
        let (group, heads) = try context.heads(
          at: change.address, withValues: change.valueByteCount == nil, writer,
          whichMatch: { $0?.winner.hash == change.version })
        guard let attributes = change.attributes else {
          try context.writeTombstone(
            change.address.item, of: heads.winner.header.itemClass, over: heads, in: group, writer)
          continue
        }
        let old = try context.open(heads, in: group, withValue: change.valueByteCount == nil)
        guard 0...values.count ~= change.valueByteCount ?? 0 else {
          throw VaultError(.invalidArgument, "the values are incomplete", recoverySuggestion: "repeat the call")
        }
        let value = change.valueByteCount.map { Array(values.prefix($0)) } ?? old.value ?? []
        values = values.dropFirst(change.valueByteCount ?? 0)
        try context.replace(
          old, in: group, with: ItemDraft(itemClass: old.itemClass, attributes: attributes, value: value),
          in: destination ?? group, writer)
      }
      return changes.count
    }
  }
}

/// A change of an item that was found in one version.
package struct ItemChange: Codable, Sendable {
  let address: ItemAddress
  let version: RecordHash
  /// Nil deletes the item.
  let attributes: ItemAttributes?
  /// The number of bytes of the new value; nil keeps the value.
  let valueByteCount: Int?
}

extension FoundItem {
  func change(to attributes: ItemAttributes?, valueByteCount: Int? = nil) -> ItemChange {
    ItemChange(address: address, version: version, attributes: attributes, valueByteCount: valueByteCount)
  }
}

extension AccessContext {
  /// Returns whether an item exists under the persistent reference of a version: it was moved, not deleted.
  fileprivate func isElsewhere(
    _ version: FoundVersion, _ reader: borrowing some StoreAccess & ~Copyable
  ) throws -> Bool {
    guard let reference = version.attributes?.identifier, reference.count == 16 else { return false }
    let search = ItemSearch(version.itemClass, reference: reference, limit: 1)
    return try !findAll(search, reader, withValues: false, damaged: { _ in }).isEmpty
  }

  /// Returns the group, which can be written, and the heads of an item. `isLive` says whether the item must exist
  /// (true) or be deleted (false); nil for either. Throws `itemChanged` if the heads are not those that were seen.
  fileprivate func heads(
    seenAs revision: ItemRevision, isLive: Bool? = true, _ reader: borrowing some StoreAccess & ~Copyable
  ) throws -> (AccessibleGroup, ItemHeads) {
    try heads(at: revision.address, isLive: isLive, reader, whichMatch: revision.matches)
  }

  /// Returns the group, which can be written, and the heads of an item, if they are those that the caller has seen.
  func heads(
    at address: ItemAddress, isLive: Bool? = true, withValues: Bool = false,
    _ reader: borrowing some StoreAccess & ~Copyable, whichMatch areSeen: (ItemHeads?) -> Bool
  ) throws -> (AccessibleGroup, ItemHeads) {
    guard let group = groups.first(where: { $0.id == address.group }) else {
      throw VaultError(
        .notEntitled, "the item is in an access group that cannot be read any more",
        recoverySuggestion: "see who reads it with: coffer group list")
    }
    _ = try writableGroup(named: group.name)
    let heads = try heads(of: address.item, in: group, reader, withValues: withValues)
    guard let heads, areSeen(heads) else {
      throw ItemRevision.changed(by: heads.map { membership.writer(of: $0.winner) })
    }
    guard isLive.map({ $0 == heads.isLive }) ?? true else { throw ItemRevision.changed(by: nil) }
    return (group, heads)
  }
}

extension ItemRevision {
  /// The error for a change of an item that was written since it was seen.
  fileprivate static func changed(by writer: ItemWriter?) -> VaultError {
    let author = writer.map { " by \($0.safeWords)" }
    return VaultError(
      .itemChanged, "the item was changed\(author ?? "") after it was shown; nothing was changed now",
      recoverySuggestion: "look at the item again and repeat the change if it is still right")
  }
}
