package import CofferFormat

/// Items by their attributes as Keychain spells them: what the typed calls do, for callers that have a dictionary.
extension Vault {
  /// Adds an item, completed by what every item has. Throws `duplicateItem` where there is one with its primary key.
  ///
  /// - Returns: The attributes as they are stored, and the full name of the group.
  package func add(_ draft: ItemDraft, in group: String?) throws(VaultError) -> (
    attributes: ItemAttributes, group: String
  ) {
    try writing { writer, context in
      let group = try context.writableGroup(named: group)
      return (try context.upsert(draft, in: group, writer), group.name)
    }
  }

  /// Throws what adding such an item would: `duplicateItem`, `notEntitled`.
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

  /// Everything that a search finds, in the order of the groups.
  ///
  /// - Parameter damaged: Is told of items that are damaged, which are passed over; where nil they are an error.
  package func find(
    _ search: ItemSearch, withValues: Bool, damaged: ((VaultError) -> Void)? = nil
  ) throws(VaultError) -> [FoundItem] {
    try reading { reader, context in try context.all(search, reader, withValues: withValues, damaged: damaged) }
  }

  /// Changes every item that a search finds, all or none; the result is their number.
  ///
  /// - Parameters:
  ///   - withValues: Whether `change` gets the values; without, the value that it leaves in the draft is stored.
  ///   - group: The group to move to, by a name as users give it; nil stays.
  ///   - change: Makes of what was found what is to be stored; runs while other writers wait.
  /// - Throws: ``VaultError``, and what `change` throws. Nothing has changed then.
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

  /// Deletes every item that a search finds, all or none; the result is their number.
  package func delete(_ search: ItemSearch) throws(VaultError) -> Int {
    try writing { writer, context in try context.delete(search, writer) }
  }
}
