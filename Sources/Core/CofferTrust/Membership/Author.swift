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

  /// Returns root as a reader of all groups, for a machine that has the vault key and is not enrolled yet. Nothing that
  /// root writes counts.
  package static func root(of membership: Membership) -> Author {
    let keys = membership.root
    return Author(
      id: .root, keys: keys, role: .admin(DeviceID(vault: membership.vault, keys: keys)), delivery: nil,
      signer: .root)
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

/// A registered app in the membership log.
package struct App: Hashable, Sendable {
  /// The hash of the log entry that registered the app.
  package let registration: EntryHash
  package let statement: AppStatement
  package let entitlements: Entitlements
  /// The time of registration, by the clock of the machine that registered the app.
  package let registered: Timestamp

  /// The full application identifier.
  package var id: ApplicationID { entitlements.applicationID }
}

/// What an admin has made on other machines than its own. It may know the keys of that, and keep them.
extension Membership {
  /// The admins that a machine has or has had.
  package func allAdmins(on machine: DeviceID) -> Set<AuthorID> { admins.filter { authors[$0]?.device == machine } }

  /// The apps' authors with rights whose entries an admin has signed for another machine than its own: it has made
  /// their keys, or could choose them.
  package func holders(madeBy makers: Set<AuthorID>) -> Set<AuthorID> {
    Set(
      authors.values.filter { author in
        guard author.cut == nil, !author.isAdmin, let maker = author.signer.admin(in: makers) else { return false }
        return authors[maker]?.device != author.device
      }.map(\.id))
  }

  /// The machines in the vault that an admin has enrolled, which may be its own under other names.
  package func members(enrolledBy makers: Set<AuthorID>) -> [Device] {
    members.filter { $0.signer.admin(in: makers) != nil }
  }
}

extension LogEntry.Signer {
  fileprivate func admin(in makers: Set<AuthorID>) -> AuthorID? {
    if case .admin(let id) = self, makers.contains(id) { id } else { nil }
  }
}
