internal import CofferCrypto
package import CofferFormat

/// The end of an author's right to write. Of the records that it signed, only those of a list stay valid, wherever and
/// whenever they turn up.
package struct AuthorCut: Hashable, Sendable {
  package let revocation: LogPosition
  /// Whether the author is an admin, who could write every group.
  let isAdmin: Bool
  /// An app's access to groups until then; nil for an admin, and for an app on a read-only machine.
  let entitlements: Entitlements?
  /// Whether the author goes on reading the group.
  var keepsReading: Bool
  /// The hashes of the lists of valid records.
  let recordLists: [Bytes32]

  /// Whether the author could write a group until then.
  func couldWrite(_ group: AccessGroupName) -> Bool { isAdmin || entitlements?.access(to: group) == .readWrite }
}
