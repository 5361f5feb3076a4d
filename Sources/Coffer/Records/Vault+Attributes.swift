package import CofferFormat

/// Items by their attributes as Keychain spells them: what the typed calls do, for callers that have a dictionary.
extension Vault {
  /// Adds an item, completed by what every item has. Throws `duplicateItem` where there is one with its primary key.
  ///
  /// - Returns: The item as it is stored.
  package func add(
    _ itemClass: ItemClass, _ attributes: ItemAttributes, value: [UInt8], in group: String?
  ) throws(VaultError) -> FoundItem {
    try writing { writer, scope in
      let target = try scope.writeTarget(named: group)
      let draft = ItemDraft(itemClass: itemClass, attributes: attributes, value: value)
      let stored = try scope.put(draft, in: target, writer)
      let item = try scope.keyring.currentKeys(of: target.group)
        .itemID(itemClass, isSynchronizable: stored.isSynchronizable, attributes: stored)
      guard let heads = try scope.heads(of: item, in: target, writer, withValues: false) else {
        throw Scope.damaged("what was written is not there", in: target)
      }
      return try scope.open(heads, in: target, withValue: false)
    }
  }

  /// Everything that a search finds, in the order of the groups. A damaged item is an error.
  package func find(_ search: ItemSearch, withValues: Bool) throws(VaultError) -> [FoundItem] {
    try reading { reader, scope in try scope.all(search, reader, withValues: withValues) }
  }

  /// Changes every item that a search finds, all or none; the result is their number.
  package func update(_ search: ItemSearch, _ change: ItemChange) throws(VaultError) -> Int {
    try writing { writer, scope in try scope.update(search, change, writer) }
  }

  /// Deletes every item that a search finds, all or none; the result is their number.
  package func delete(_ search: ItemSearch) throws(VaultError) -> Int {
    try writing { writer, scope in try scope.delete(search, writer) }
  }
}
