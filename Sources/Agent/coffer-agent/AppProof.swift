internal import Coffer
internal import CofferFormat
internal import CofferTrust
internal import CofferVault

/// What proves to the agent that a client is the app whose keys it uses.
enum AppProof {
  /// Nothing: every program of the user could be the client. So it is for the owner, and for an app whose program nobody has
  /// installed.
  case none
  /// The group of the program that root has installed, or an account that only the app uses.
  case installed

  /// Examines a client that uses the keys of an author.
  ///
  /// - Throws: ``VaultError`` if it does not get them: root has installed the app's program, and the client does not have its
  ///   group, or the record of the program cannot be read; or a group of the app demands such a program, and there is none.
  ///   An entry of the log counts before it is published.
  static func read(
    of client: ClientEvidence, as author: AuthorID, in log: VaultLog
  ) throws(VaultError) -> AppProof {
    guard case .principal(let application, _, _) = log.settled.authors[author]?.role else { return .none }
    let installed = InstalledApp(application.bundleID)
    let enforcement = installed.ownUser(of: application)?.enforcement
    // A record that cannot be read, for want of a descriptor for instance, must not count as none.
    guard isAbsent(installed.programPath), enforcement != .group else {
      try installed.checkClient(ofGroup: client.group)
      return .installed
    }
    guard enforcement != .account else { return .installed }
    for membership in [log.settled, log.latest] {
      if let app = membership.apps[application] { try membership.checkAllowsFile(for: app) }
    }
    return .none
  }

  /// Whether a person has to allow the use of a group. The owner has no program that could be installed, so a group that
  /// demands one demands a lease of the owner.
  func demandsLease(of group: RegisteredGroup, in log: VaultLog) -> Bool {
    let requirements: [GroupRequirement] = [group.requirement, log.latest.groups[group.id]?.requirement ?? .none]
    return requirements.contains { self == .installed ? $0 == .lease : $0 != .none }
  }
}
