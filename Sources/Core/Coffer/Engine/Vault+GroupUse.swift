package import CofferFormat
internal import CofferKeys
internal import CofferStore
internal import CofferTrust
internal import CofferVault

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
