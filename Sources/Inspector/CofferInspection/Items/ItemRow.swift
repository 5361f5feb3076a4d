package import Coffer
internal import CofferFormat
package import CofferPlatform
internal import CofferVault

/// An item as a list shows it, without its value. All texts are as they are stored: show them with ``DisplayText``.
package struct ItemRow: Sendable, Hashable {
  package let reference: ItemReference
  /// The access group's full name.
  package let group: String
  /// The service, server or label; never empty.
  package let title: String
  /// The account, issuer or tag; empty if there is none.
  package let subtitle: String
  package let label: String?
  /// The attributes that the texts come from.
  package let names: StoredNames
  /// What matters most of a certificate, a key or an internet password: "RSA, 2048 bits".
  package let detail: String?
  package let created: Date
  package let modified: Date
  /// The end of the validity of a certificate or a key.
  package let expires: Date?
  /// What a key is; nil for other items.
  package let key: KeySummary?
  package let writer: ItemWriter
  /// Whether machines have changed the item at the same time.
  package let hasConflict: Bool

  package var kind: ItemKind { reference.kind }

  init(_ found: FoundItem, as kind: ItemKind? = nil) {
    let names = ItemNames(found)
    reference = ItemReference(found, as: kind)
    group = found.group
    title = names.title
    subtitle = names.subtitle
    label = names.label
    self.names = names.stored
    detail = names.detail
    created = (found.attributes.date(.created) ?? Timestamp(microseconds: 0)).date
    modified = (found.attributes.date(.modified) ?? Timestamp(microseconds: 0)).date
    expires = names.expires?.date
    key = found.itemClass == .key ? KeySummary(found.attributes) : nil
    writer = found.writer
    hasConflict = found.hasConflict
  }
}
