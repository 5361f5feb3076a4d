package import CofferCrypto
package import CofferFormat

/// An author of records.
package struct Author: Hashable, Sendable {
  /// The kind of author.
  package enum Role: Hashable, Sendable {
    /// The owner of a machine, who may read and write every group.
    case admin(DeviceID)
    /// An app on a machine, with the access of its registration.
    case principal(ApplicationID, registration: EntryHash, DeviceID)
  }

  package let id: AuthorID
  package let keys: PartyPublicKeys
  package let role: Role
  /// The secret keys, sealed to the machine's delivery key; nil if the machine has made them itself.
  package let delivery: DeliveredKeys?
  /// Who signed the entry that names the author. It may know the secret keys of an author on another machine.
  package let signer: LogEntry.Signer
  /// The end of all of the author's rights; nil while it has some.
  package internal(set) var cut: AuthorCut?
  /// The end of its right to write single groups.
  package internal(set) var groupCuts: [GroupID: AuthorCut] = [:]

  init(
    id: AuthorID, keys: PartyPublicKeys, role: Role, delivery: DeliveredKeys? = nil, signer: LogEntry.Signer
  ) {
    self.id = id
    self.keys = keys
    self.role = role
    self.delivery = delivery
    self.signer = signer
  }

  /// Returns root as a reader of all groups, for a machine that has the vault key and is not enrolled yet. Nothing that
  /// root writes counts.
  package static func root(of membership: Membership) -> Author {
    let keys = membership.root
    return Author(
      id: .root, keys: keys, role: .admin(DeviceID(vault: membership.vault, keys: keys)), signer: .root)
  }

  /// The end of its right to write a group; nil if it did not end.
  package func cut(in group: GroupID) -> AuthorCut? { groupCuts[group] ?? cut }

  package var device: DeviceID {
    switch role {
    case .admin(let device), .principal(_, _, let device): device
    }
  }

  /// Whether the author is an admin, also one whose rights have ended.
  package var isAdmin: Bool { application == nil }

  /// The app; nil for an admin.
  package var application: ApplicationID? {
    switch role {
    case .admin: nil
    case .principal(let app, _, _): app
    }
  }

  /// The entry that registered the app; nil for an admin.
  var registration: EntryHash? {
    switch role {
    case .admin: nil
    case .principal(_, let registration, _): registration
    }
  }
}
