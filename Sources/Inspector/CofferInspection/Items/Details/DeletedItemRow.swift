package import Coffer
internal import CofferFormat
package import CofferPlatform

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
