package import CofferFormat
internal import CofferKeys
internal import CofferStore
internal import CofferTrust
internal import CofferVault

/// The untyped form of the item calls, for the Security module, which has dictionaries of attributes.
extension Vault {
  /// Adds an item with defaults for missing attributes. Returns the attributes as they are stored, and the full name of
  /// the group. Throws `duplicateItem` if an item with the same primary key exists.
  package func add(_ draft: ItemDraft, in group: String?) throws(VaultError) -> (
    attributes: ItemAttributes, group: String
  ) {
    try writing { writer, context in
      let group = try context.writableGroup(named: group)
      return (try context.upsert(draft, in: group, writer), group.name)
    }
  }

  /// Throws `invalidArgument` if the value or the attributes of a draft exceed the limits of an item.
  package static func checkLimits(of draft: ItemDraft) throws(VaultError) { try AccessContext.check(draft) }

  /// Throws the error that adding such an item would throw: `duplicateItem` or `notEntitled`.
  package func checkAddable(
    _ itemClass: ItemClass, _ attributes: ItemAttributes, in group: String?
  ) throws(VaultError) {
    try reading { reader, context in
      let group = try context.writableGroup(named: group)
      let item = try context.keyring.currentKeys(of: group.registered)
        .itemID(itemClass, isSynchronizable: attributes.isSynchronizable, attributes: attributes)
      let heads = try context.heads(of: item, in: group, reader, withValues: false)
      if heads?.isLive == true { throw AccessContext.duplicate(in: group) }
    }
  }

  /// Returns all items that a search finds, oldest first. `damaged` receives the error of each damaged item; if it is
  /// nil, the first one is thrown. With `comparing`, the caller compares the values and shows them to nobody.
  package func find(
    _ search: ItemSearch, withValues: Bool, comparing: Bool = false, damaged: ((VaultError) -> Void)? = nil
  ) throws(VaultError) -> [FoundItem] {
    if withValues && !comparing { try checkValuesMayLeave() }
    return try notingMiss { reader, context in
      let found = try context.findAll(search, reader, withValues: withValues, damaged: damaged)
      return found.isEmpty ? nil : found
    } ?? []
  }

  /// Updates all items that a search finds, or none if an error is thrown, and returns their number. If `withValues` is
  /// false, `change` must set the value of each draft. `group` is the group to move the items to, as users write it;
  /// nil leaves them in their group. Other writers wait while `change` runs.
  package func update(
    _ search: ItemSearch, withValues: Bool, movingTo group: String?,
    _ change: (FoundItem, inout ItemDraft) throws -> Void
  ) throws -> Int {
    var thrown: (any Error)?
    do {
      return try writing { writer, context in
        try context.update(search, withValues: withValues, movingTo: group, writer) { found, draft in
          do {
            try change(found, &draft)
          } catch {
            thrown = error
            throw error
          }
        }
      }
    } catch {
      throw thrown ?? error
    }
  }

  /// Deletes all items that a search finds, or none if an error is thrown. Returns their number.
  package func delete(_ search: ItemSearch) throws(VaultError) -> Int {
    try writing { writer, context in try context.delete(search, writer) }
  }
}

extension Vault {
  /// Throws the error that a call would throw because of its group, also while the vault is locked: before anybody is
  /// asked for a passphrase or a secret.
  package func check(_ use: GroupUse) throws(VaultError) {
    if use.isWrite {
      try translatingErrors { try local.store.read { try local.checkNotRevoked(author.device, in: $0) } }
    }
    _ = try LockedAccess(author, try local.publishedMembership(), TeamNaming(memory)).groups(for: use, in: local)
  }

  /// Returns the groups that have an item, also a damaged one, in the order in which they are searched.
  package func accessGroups<Item: KeychainItem>(
    containing item: Item, in accessGroup: String? = nil
  ) throws(VaultError) -> [AccessGroup] {
    let attributes = ItemSearch.primaryKey(of: item)
    return try reading { reader, context in
      try context.groups(named: accessGroup).filter { group in
        let id = try context.keyring.currentKeys(of: group.registered)
          .itemID(Item.itemClass, isSynchronizable: item.isSynchronizable, attributes: attributes)
        let (heads, damaged) = try context.replaceableHeads(of: id, in: group, reader)
        return damaged != nil || heads?.isLive == true
      }.map { AccessGroup(name: $0.name, isWritable: $0.access == .readWrite) }
    }
  }

  /// Deletes an item by its identifier, also one that has no name because its contents are damaged, and returns the
  /// full name of its group. Searches all of the caller's groups if `accessGroup` is nil. Throws `itemNotFound`,
  /// `notEntitled` for a group that may only be read, and `integrity` if no version of the item is intact here. Nothing
  /// has changed then.
  package func delete(_ item: ItemID, in accessGroup: String? = nil) throws(VaultError) -> String {
    try writing { writer, context in
      for group in try context.groups(named: accessGroup) {
        guard let heads = try context.heads(of: item, in: group, writer, withValues: false), heads.isLive else {
          continue
        }
        _ = try context.writableGroup(named: group.name)
        try context.writeTombstone(item, of: heads.winner.header.itemClass, over: heads, in: group, writer)
        return group.name
      }
      throw VaultError(
        .itemNotFound, "there is no item \(item) in the groups searched",
        recoverySuggestion: "list the items with: coffer list")
    }
  }
}

extension Vault {
  /// Returns the identifier of a group by a name as users write it. Throws `notEntitled` for a group that cannot be
  /// read.
  package func groupID(named name: String) throws(VaultError) -> GroupID {
    try reading { _, context in try context.group(named: name).id }
  }

  /// Returns the full names of the groups that can be searched: the named one, or all in their order. Throws
  /// `notEntitled` for a group that cannot be read.
  package func groupNames(_ name: String? = nil) throws(VaultError) -> [String] {
    try reading { _, context in try context.groups(named: name).map(\.name) }
  }
}

extension LockedAccess {
  /// Returns the groups that a call uses. Throws `notEntitled` if the owner would store an item in a deleted group: one
  /// that no app has any more, and in which nothing is left to change.
  func groups(for use: GroupUse, in local: LocalVault) throws(VaultError) -> [AccessibleGroup] {
    let groups = try groups(for: use)
    guard case .writing = use, case .admin = author.role, let group = groups.first,
      !membership.apps.values.contains(where: { $0.entitlements.access(to: group.registered.name) != nil }),
      try translatingErrors({ try local.store.read { try $0.itemCount(in: group.id) } }) == 0
    else { return groups }
    throw VaultError(
      .notEntitled, "no app of this vault has the access group \(group.name) any more",
      recoverySuggestion:
        "make it a group of your own again with: coffer group create \(membership.team.removed(from: group.name))")
  }
}
