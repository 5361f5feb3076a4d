package import Coffer
internal import CofferCrypto
internal import CofferFormat
package import CofferVault

/// A version of an item that does not count, because the log does not let its author write it. What its record says is
/// available directly: its group, its writer and the reason. All texts are as they are stored: show them with
/// ``DisplayText``.
@dynamicMemberLookup
package struct RefusedVersion: Sendable {
  package let kind: ItemKind
  /// The service, server or label; nil for a deletion, and for a version that does not open.
  package let title: String?
  /// The account, issuer or tag; empty if there is none.
  package let subtitle: String
  private let record: RefusedRecord

  init(_ record: RefusedRecord) {
    let names = record.attributes.map { ItemNames($0, of: record.itemClass) }
    kind = ItemKind(record.itemClass)
    title = names?.title
    subtitle = names?.subtitle ?? ""
    self.record = record
  }

  package subscript<Value>(dynamicMember member: KeyPath<RefusedRecord, Value>) -> Value { record[keyPath: member] }

  /// Whether the owner can make it the current version, if need be in place of a newer one.
  package var isAdoptable: Bool { record.obstacle == nil || record.obstacle == .itemChanged }

  /// What somebody has to know before adopting it, as a sentence; nil for nothing.
  package var note: String? {
    switch record.obstacle {
    case .itemChanged: "The item was changed since: this version would replace a newer one, which stays in the history."
    case .noKey: "No key opens it here, so it cannot be adopted."
    case .damaged: "Its contents are damaged, so it cannot be adopted."
    case .followed: "It was adopted or written over."
    case .unknownAuthor: "It cannot be adopted: the membership log does not contain its signer."
    case nil: record.isDeletion ? "It deletes the item." : nil
    }
  }
}

extension InspectedVault {
  /// Returns the versions that do not count, the one that was written last first. Those that were adopted or written
  /// over are left out.
  package func refusedVersions() throws(VaultError) -> [RefusedVersion] {
    try vault.refusedRecords().filter { $0.obstacle != .followed }.map { RefusedVersion($0) }
  }

  /// Makes a refused version, by its ``RefusedVersion/identifier``, the current one of its item, under the owner's own
  /// signature. With `replacesNewer`, it replaces versions that its author had not seen; otherwise these throw
  /// `itemChanged`. Throws `invalidArgument` if it was adopted before. If it throws, nothing has changed.
  package func adopt(_ identifier: String, replacesNewer: Bool) throws(VaultError) {
    guard let hash = bytes(hexadecimal: identifier).flatMap({ Bytes32($0) }).map({ RecordHash($0) }) else {
      throw VaultError(
        .itemNotFound, "there is no such refused version", recoverySuggestion: "choose one from the list")
    }
    try vault.adopt([hash], overNewer: replacesNewer)
  }
}
