package import CofferFormat
internal import CofferKeys
internal import CofferStore
internal import CofferTrust
internal import CofferVault

/// The untyped form of the item calls, for the Security module, which has dictionaries of attributes.
extension Vault {
  /// Adds an item with defaults for missing attributes. Returns the attributes as they are stored, and the full name of
  /// the group. If an item with the same primary key exists, throws `duplicateItem`, or replaces its value and those of
  /// its attributes that the draft has.
  package func add(_ draft: ItemDraft, in group: String?, replacing: Bool = false) throws(VaultError) -> StoredDraft {
    if let broker { return try broker.write(draft, in: group, replacing: replacing) }
    return try writing { writer, context in
      let group = try context.writableGroup(named: group)
      let merge = { (existing: ItemAttributes) in
        try existing.checkNotPasswordProtected()
        return existing.merging(draft.attributes)
      }
      return (try context.upsert(draft, in: group, writer, replacing: replacing ? merge : nil), group.name)
    }
  }

  /// Throws `invalidArgument` if the value or the attributes of a draft exceed the limits of an item.
  package static func checkLimits(of draft: ItemDraft) throws(VaultError) { try AccessContext.check(draft) }

  /// Throws the error that adding such an item would throw: `duplicateItem` or `notEntitled`.
  package func checkAddable(
    _ itemClass: ItemClass, _ attributes: ItemAttributes, in group: String?
  ) throws(VaultError) {
    // A prompt more in a sandbox: adding the item throws the same.
    if broker != nil { return }
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
    _ search: ItemSearch, withValues: Bool, comparing: Bool = false, in scope: SearchScope = .all,
    damaged: ((VaultError) -> Void)? = nil
  ) throws(VaultError) -> [FoundItem] {
    if withValues && !comparing { try checkValuesMayLeave() }
    let found = try list(search, withValues: withValues, in: scope, damaged: damaged)
    if found.isEmpty, broker == nil { local.folder.noteMiss() }
    return found
  }

  /// Returns items as ``find(_:withValues:comparing:in:damaged:)``, to a caller that does not miss any if there is
  /// none.
  func list(
    _ search: ItemSearch, withValues: Bool = false, in scope: SearchScope = .all,
    damaged: ((VaultError) -> Void)? = nil
  ) throws(VaultError) -> [FoundItem] {
    if let broker { return try broker.find(search, withValues: withValues, in: scope, damaged: damaged) }
    return try reading { reader, context in
      let isChange = scope == .writable
      let named = try isChange ? context.writableGroups(named: search.group) : context.groups(named: search.group)
      for groups in scope == .firstGroup ? named.map({ [$0] }) : [named] {
        let found = try context.findAll(search, in: groups, reader, withValues: withValues, damaged: damaged)
        if !found.isEmpty { return found }
      }
      return []
    }
  }

  /// Updates all items that a search finds, or none if an error is thrown, and returns their number. If `withValues` is
  /// false, `change` must set the value of each draft. `group` is the group to move the items to, as users write it;
  /// nil leaves them in their group. Other writers wait while `change` runs.
  package func update(
    _ search: ItemSearch, withValues: Bool, movingTo group: String?,
    _ change: (FoundItem, inout ItemDraft) throws -> Void
  ) throws -> Int {
    if let broker { return try update(through: broker, search, withValues: withValues, movingTo: group, change) }
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
    if let broker {
      guard !search.conditions.isEmpty else { return try broker.delete(search) }
      return try delete(through: broker) { try list(search, in: .writable) }
    }
    return try writing { writer, context in try context.delete(search, writer) }
  }
}

/// The attributes of a new or changed item as they are stored, and the full name of its group.
package typealias StoredDraft = (attributes: ItemAttributes, group: String)

/// The groups that a search looks at, of those that it names.
package enum SearchScope: String, Sendable, Codable {
  case all
  /// Those that the caller may write.
  case writable
  /// The first one in the caller's order that has an item.
  case firstGroup
}
