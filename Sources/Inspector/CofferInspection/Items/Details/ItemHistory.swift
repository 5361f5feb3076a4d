package import Coffer
internal import CofferCrypto
internal import CofferFormat
package import CofferPlatform
package import CofferVault

/// The versions of an item, newest first.
package struct InspectedHistory: Sendable {
  package let versions: [ItemVersionRow]
  /// The item's title in its newest version with attributes, as lists show it; nil if none is kept.
  package let title: String?
  /// What a restore must name.
  package let revision: ItemRevision?
  /// Errors of damaged versions.
  package let damaged: [VaultError]
}

/// One version of an item as its history shows it, without its value. What the vault says of it is available directly:
/// its group, its writer, and whether it is the one that reads return.
@dynamicMemberLookup
package struct ItemVersionRow: Sendable {
  /// Whether this is one of several versions of an item in conflict.
  package let isInConflict: Bool
  /// The attributes, in the fixed order of the class.
  package let attributes: [ItemAttributeRow]
  private let version: FoundVersion

  /// The version's hash in hexadecimal, which is the same on every machine.
  package var identifier: String { version.hash.raw.hex }
  package var written: Date { version.written.date }
  /// Whether this version deleted the item. It has no attributes then.
  package var isDeletion: Bool { version.attributes == nil }

  /// The beginning of the identifier, as tables show it and commands take it.
  package var shortIdentifier: String { String(identifier.prefix(Self.shownIdentifierLength)) }

  /// The number of characters of a version's identifier that tables show.
  package static let shownIdentifierLength = 12

  init(_ version: FoundVersion, isInConflict: Bool) {
    self.isInConflict = isInConflict
    attributes = version.attributes.map { ItemAttributeRow.rows($0, of: version.itemClass) } ?? []
    self.version = version
  }

  package subscript<Value>(dynamicMember member: KeyPath<FoundVersion, Value>) -> Value { version[keyPath: member] }

  static func rows(_ versions: [FoundVersion]) -> [ItemVersionRow] {
    let hasConflict = versions.count(where: \.isHead) > 1
    return versions.map { ItemVersionRow($0, isInConflict: hasConflict && $0.isHead) }
  }
}

/// A deleted item whose last version can be restored.
package struct DeletedItemRow: Sendable {
  package let kind: ItemKind
  /// The reference that the item had, and has again after it was restored.
  package let reference: ItemReference?
  package let group: String
  package let title: String
  package let subtitle: String
  package let label: String?
  /// When the item was deleted, by the clock of the machine that deleted it.
  package let deleted: Date
  package let deletedBy: ItemWriter
  /// What a restore must name.
  package let revision: ItemRevision
  /// The last version that had a value, for ``InspectedVault/restore(_:over:)``.
  package let version: ItemVersionRow

  /// Nil if no version with a value is kept.
  init?(_ history: FoundHistory, revision: ItemRevision) {
    guard let deletion = history.versions.first(where: \.isCurrent),
      let last = history.versions.first(where: { $0.attributes != nil }), let attributes = last.attributes
    else { return nil }
    let names = ItemNames(attributes, of: last.itemClass)
    kind = ItemKind(last.itemClass)
    reference = ItemReference(kind: kind, identifier: attributes.identifier)
    group = last.group
    title = names.title
    subtitle = names.subtitle
    label = names.label
    deleted = deletion.written.date
    deletedBy = deletion.writer
    self.revision = revision
    version = ItemVersionRow(last, isInConflict: false)
  }
}

extension InspectedVault {
  /// Returns the versions of an item that this machine has, newest first, also of a deleted one. Superseded versions
  /// are kept for 30 days. The revision may be an old one. Throws `itemNotFound` if the item was never written here.
  package func history(of revision: ItemRevision) throws(VaultError) -> InspectedHistory {
    guard let found = try vault.history(at: revision.address) else { throw Self.notFound }
    let named = found.history.versions.first { $0.attributes != nil }
    return InspectedHistory(
      versions: ItemVersionRow.rows(found.history.versions),
      title: named.flatMap { version in version.attributes.map { ItemNames($0, of: version.itemClass).title } },
      revision: found.revision,
      damaged: found.history.damaged)
  }

  /// Returns how an item differs between two versions. The values are compared without being shown.
  package func difference(
    from before: ItemVersionRow, to after: ItemVersionRow
  ) throws(VaultError) -> VersionDifference {
    var old = try vault.storedVersion(before.hash, of: before.address, keepingValue: true)
    defer { old?.value?.wipe() }
    var new = try vault.storedVersion(after.hash, of: after.address, keepingValue: true)
    defer { new?.value?.wipe() }
    // The same value under a password is sealed differently each time.
    let isComparable = [old, new].allSatisfy {
      $0.map { !ValueGuard($0.attributes).requiresApplicationPassword } ?? false
    }
    return VersionDifference(
      before.attributes, after.attributes, valueDiffers: isComparable ? old?.value != new?.value : nil)
  }

  /// Returns the items of all classes that machines have changed at the same time, in one group or in all that can be
  /// read. Damaged ones are left out: lists name them.
  package func conflicts(in group: String? = nil) throws(VaultError) -> [InspectedConflict] {
    try vault.conflictingVersions(in: group).compactMap { (revision, versions) in
      guard let current = versions.first, let named = versions.first(where: { $0.attributes != nil }),
        let attributes = named.attributes
      else { return nil }
      let names = ItemNames(attributes, of: named.itemClass)
      let kind = ItemKind(named.itemClass)
      return InspectedConflict(
        kind: kind,
        reference: current.attributes.flatMap { ItemReference(kind: kind, identifier: $0.identifier) },
        group: named.group, title: names.title, subtitle: names.subtitle, versions: ItemVersionRow.rows(versions),
        revision: revision)
    }
  }

  /// The largest number of deleted items of each group that ``deletedItems(in:limit:)`` returns by default.
  package static let maximumDeletedItemCount = 1_000

  /// Returns the deleted items of all classes that can be restored, the last deletion first, in one group or in all
  /// that can be read. Of each group, these are at most `limit` items, whose deletions arrived here last; `isLimited`
  /// says whether a group has so many. Versions are kept for 30 days.
  package func deletedItems(
    in group: String? = nil, limit: Int = InspectedVault.maximumDeletedItemCount
  ) throws(VaultError) -> (rows: [DeletedItemRow], isLimited: Bool) {
    let rows = try vault.deletedItems(in: group, limit: limit)
      .compactMap { DeletedItemRow($0.history, revision: $0.revision) }
      .sorted { $0.deleted > $1.deleted }
    return (rows, Dictionary(grouping: rows, by: \.group).values.contains { $0.count >= limit })
  }

  /// Returns a deleted item by the reference that it had; nil if there is none.
  package func deletedItem(_ reference: ItemReference, in group: String? = nil) throws(VaultError) -> DeletedItemRow? {
    try deletedItems(in: group, limit: .max).rows.first {
      $0.reference?.text == reference.text && $0.kind.itemClass == reference.kind.itemClass
    }
  }

  /// Makes an earlier version, or one of several concurrent ones, the current one. A version that deleted the item
  /// deletes it again. Ends a conflict; the other versions stay in the history. Throws `itemChanged` if another version
  /// was written since. If it throws, nothing has changed.
  @discardableResult
  package func restore(_ version: ItemVersionRow, over revision: ItemRevision) throws(VaultError) -> ItemRevision {
    for conditions in try currentGuards(at: revision.address) { try conditions.checkChangeable() }
    return try vault.restore(version.hash, over: revision)
  }
}
