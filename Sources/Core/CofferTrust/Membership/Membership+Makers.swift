package import CofferFormat

/// What an admin has made on other machines than its own. It may know the keys of that, and keep them.
extension Membership {
  /// The admins that a machine has or has had.
  package func allAdmins(on machine: DeviceID) -> Set<AuthorID> { admins.filter { authors[$0]?.device == machine } }

  /// The apps' authors with rights whose entries an admin has signed for another machine than its own: it has made their
  /// keys, or could choose them.
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
