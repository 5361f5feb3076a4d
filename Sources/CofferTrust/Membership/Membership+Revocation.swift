internal import CofferCrypto
package import CofferFormat

extension Membership {
  /// Applies a revocation. The whole statement is checked before anything changes.
  mutating func apply(_ statement: RevocationStatement, of entry: LogEntry) throws(TrustError) {
    func failure(_ code: TrustError.Code, _ detail: String) -> TrustError {
      TrustError(code, at: entry.sequence, detail)
    }
    guard batch == nil else { throw failure(.contradiction, "the revocation before it is not complete") }
    guard statement.keys.count <= Int(statement.followingEntries) else {
      throw failure(.contradiction, "it names more keys than entries that introduce them")
    }
    var gone: Set<AuthorID> = []
    for cut in statement.authors {
      guard let author = authors[cut.author], author.cut == nil else {
        throw failure(.contradiction, "an author that it cuts off is unknown or was cut off before")
      }
      if case .admin = author.role {
        guard entry.signer == .root else { throw failure(.notAuthorised, "only root removes an admin") }
        guard cut.groups == nil else { throw failure(.contradiction, "an admin cannot lose single groups") }
      }
      if cut.groups == nil { gone.insert(cut.author) }
    }
    for machine in statement.machines {
      guard let device = devices[machine.device], device.revocation == nil else {
        throw failure(.contradiction, "a machine that it revokes is unknown or was revoked before")
      }
      guard holders(on: device.id).isSubset(of: gone) else {
        throw failure(.contradiction, "it leaves authors to a machine that it revokes")
      }
    }
    var removed: [ApplicationID] = []
    for registration in statement.apps {
      guard let app = registrations[registration], apps[app.id]?.registration == registration else {
        throw failure(.contradiction, "an app that it removes is not registered")
      }
      guard holders(of: app.id).isSubset(of: gone) else {
        throw failure(.contradiction, "it leaves authors to an app that it removes")
      }
      removed.append(app.id)
    }
    try checkKeys(of: statement, in: entry)
    remove(
      by: Revocation(
        position: entry.position, time: entry.time, signer: entry.signer, statement: statement, apps: removed))
  }

  /// Ends the rights that a revocation names, as far as they exist here.
  private mutating func remove(by revocation: Revocation) {
    for cut in revocation.statement.authors { apply(cut, of: revocation) }
    for machine in revocation.statement.machines where devices[machine.device]?.revocation == nil {
      devices[machine.device]?.revocation = revocation.position
      devices[machine.device]?.lastSegments = Dictionary(machine.ends.map { ($0.stream, $0) }) { first, _ in first }
    }
    for app in revocation.apps {
      apps[app] = nil
      registrations = registrations.filter { $0.value.id != app }
    }
    revocations.append(revocation)
  }

  /// Returns this membership without what other memberships that follow it have revoked, in branches of a forked log.
  func removing(by branches: [Membership]) -> Membership {
    var membership = self
    for branch in branches {
      membership.add(Array(branch.recordLists.values))
      for revocation in branch.revocations where revocation.position.sequence > head.sequence {
        membership.remove(by: revocation)
      }
    }
    return membership
  }

  /// Whether root has removed an admin in an entry after a position of the log. Entries of that admin in another branch
  /// from there on count for nothing: it could bring itself back with them.
  func hasRootRemoved(_ signer: LogEntry.Signer, after sequence: UInt64) -> Bool {
    guard case .admin(let id) = signer, let cut = authors[id]?.cut, cut.revocation.sequence > sequence else {
      return false
    }
    return revocations.contains { $0.position == cut.revocation && $0.signer == .root }
  }

  /// Verifies that every key is replaced which the authors could read and may not read any more.
  private func checkKeys(of statement: RevocationStatement, in entry: LogEntry) throws(TrustError) {
    var wanted: [GroupID: UInt32] = [:]
    for group in groupsToRenew(after: statement) { wanted[group.id] = UInt32(group.generations.count) + 1 }
    if !statement.machines.isEmpty { wanted[.none] = UInt32(transportCommitments.count) + 1 }
    let named = Dictionary(statement.keys.map { ($0.group, $0.generation) }) { first, _ in first }
    guard wanted.allSatisfy({ named[$0.key] == $0.value }) else {
      throw TrustError(.contradiction, at: entry.sequence, "it does not replace every key that was readable")
    }
  }

  /// The groups whose keys somebody has whom a revocation takes out.
  ///
  /// - Parameter statement: The revocation. Its keys and lists are not considered.
  /// - Returns: The groups in ascending order of identifier.
  package func groupsToRenew(after statement: RevocationStatement) -> [RegisteredGroup] {
    var found: Set<GroupID> = []
    for cut in statement.authors {
      guard let author = authors[cut.author] else { continue }
      if let lost = cut.groups {
        found.formUnion(lost.filter { !$0.keepsReading }.map(\.group))
      } else {
        found.formUnion(groups.values.filter { access(of: author, to: $0.id) != nil }.map(\.id))
      }
    }
    return found.sorted().compactMap { groups[$0] }
  }

  private mutating func apply(_ cut: RevocationStatement.CutAuthor, of revocation: Revocation) {
    guard let author = authors[cut.author], author.cut == nil else { return }
    var entitlements: Entitlements?
    if case .principal(let app, _, _) = author.role { entitlements = apps[app]?.entitlements }
    let end = AuthorCut(
      revocation: revocation.position, entitlements: entitlements, keepsReading: false,
      recordLists: revocation.statement.recordLists)
    guard let groups = cut.groups else {
      authors[cut.author]?.cut = end
      return
    }
    for lost in groups {
      // The first list stays: a later one cannot make a record valid that this one refuses.
      var kept = author.groupCuts[lost.group] ?? end
      kept.keepsReading = lost.keepsReading && (author.groupCuts[lost.group]?.keepsReading ?? true)
      authors[cut.author]?.groupCuts[lost.group] = kept
    }
  }

  /// The authors on a machine that have rights: its admin and the apps.
  package func holders(on device: DeviceID) -> Set<AuthorID> {
    Set(authors.values.filter { $0.device == device && $0.cut == nil }.map(\.id))
  }

  /// The authors of an app that have rights, one for each machine at least.
  package func holders(of application: ApplicationID) -> Set<AuthorID> {
    Set(
      authors.values.filter { author in
        guard case .principal(let id, _, _) = author.role else { return false }
        return id == application && author.cut == nil
      }.map(\.id))
  }

  /// Verifies that a registration takes no access away which its app's authors still have: a record that was written under
  /// the earlier registration must stay valid, and whoever has a key keeps it.
  func checkKeepsAccess(
    _ entitlements: Entitlements, of statement: AppStatement, in entry: LogEntry
  ) throws(TrustError) {
    guard let earlier = apps[entitlements.applicationID] else { return }
    let lost = earlier.entitlements.groups.filter { group in
      entitlements.access(to: group.name).map { $0 < group.access } ?? true
    }
    guard !lost.isEmpty else { return }
    let holders = holders(of: entitlements.applicationID)
    for group in lost {
      let access = entitlements.access(to: group.name)
      let id = GroupID(vault: vault, name: group.name.description)
      let keepsAccess = holders.contains { holder in
        guard let remaining = authors[holder].flatMap({ self.access(of: $0, to: id) }) else { return false }
        return access.map { $0 < remaining } ?? true
      }
      guard statement.groups != nil, !keepsAccess else {
        throw TrustError(
          .contradiction, at: entry.sequence, "it removes an app's access, which only a revocation may do")
      }
    }
  }
}
