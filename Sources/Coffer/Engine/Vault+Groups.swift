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
    try LockedAccess(author, try local.settledMembership(), TeamNaming(memory)).check(use)
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
}

extension Vault {
  /// Returns the identifier of a group by a name as users write it.
  ///
  /// - Throws: ``VaultError``: `notEntitled` for a group that cannot be read; `locked`.
  package func groupID(named name: String) throws(VaultError) -> GroupID {
    try reading { _, context in try context.group(named: name).id }
  }

  /// Returns the full names of the groups that can be searched: the named one, or all in their order.
  ///
  /// - Throws: ``VaultError``: `notEntitled` for a group that cannot be read; `locked`.
  package func groupNames(_ name: String? = nil) throws(VaultError) -> [String] {
    try reading { _, context in try context.groups(named: name).map(\.name) }
  }
}
