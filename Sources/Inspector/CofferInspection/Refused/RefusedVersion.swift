package import Coffer
internal import CofferFormat
package import CofferPlatform

/// A version of an item that does not count, because the log does not let its author write it. All texts are as they are
/// stored: show them with ``DisplayText``.
package struct RefusedVersion: Sendable {
  /// The identifier by which forms and commands name the version.
  package let identifier: String
  package let kind: ItemKind
  /// The service, server or label; nil for a deletion, and for a version that does not open.
  package let title: String?
  /// The account, issuer or tag; empty if there is none.
  package let subtitle: String
  /// The full name of the access group; nil if the log does not contain it.
  package let group: String?
  /// Who wrote it; nil if the log does not contain the author.
  package let writer: ItemWriter?
  /// By its author's clock.
  package let written: Date
  package let isDeletion: Bool
  /// Why it does not count, as a clause.
  package let reason: String
  /// What keeps the owner from adopting it; nil for nothing.
  package let obstacle: RefusedRecord.Obstacle?

  init(_ record: RefusedRecord) {
    let names = record.attributes.map { ItemNames($0, of: record.itemClass) }
    identifier = record.identifier
    kind = ItemKind(record.itemClass)
    title = names?.title
    subtitle = names?.subtitle ?? ""
    group = record.group
    writer = record.writer
    written = record.written
    isDeletion = record.isDeletion
    reason = record.reason
    obstacle = record.obstacle
  }

  /// Whether the owner can make it the current version, if need be in place of a newer one.
  package var isAdoptable: Bool { obstacle == nil || obstacle == .itemChanged }

  /// What somebody has to know before adopting it, as a sentence; nil for nothing.
  package var note: String? {
    switch obstacle {
    case .itemChanged: "The item was changed since: this version would replace a newer one, which stays in the history."
    case .noKey: "No key opens it here, so it cannot be adopted."
    case .damaged: "Its contents are damaged, so it cannot be adopted."
    case .followed: "It was adopted or written over."
    case .unknownAuthor: "It cannot be adopted: the membership log does not contain its signer."
    case nil: isDeletion ? "It deletes the item." : nil
    }
  }
}
