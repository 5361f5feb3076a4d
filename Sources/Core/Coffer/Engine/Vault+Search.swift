package import CofferFormat
internal import CofferKeys
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
    return try reading { reader, context in
      try context.findAll(search, reader, withValues: withValues, damaged: damaged)
    }
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
