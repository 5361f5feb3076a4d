internal import CofferCrypto
package import CofferFormat

/// A revocation in the membership log.
package struct Revocation: Hashable, Sendable {
  package let position: LogPosition
  package let time: Timestamp
  package let signer: LogEntry.Signer
  package let statement: RevocationStatement
  /// The identifiers of the apps that it removes.
  package let apps: [ApplicationID]
}

extension Membership {
  /// Applies a revocation. The whole statement is checked before anything changes.
  mutating func apply(_ statement: RevocationStatement, of entry: LogEntry) throws(TrustError) {
    func failure(_ code: TrustError.Code, _ detail: String) -> TrustError {
      TrustError(code, at: entry.sequence, detail)
    }
    guard batch == nil else { throw failure(.contradiction, "the change before it is not complete") }
    guard statement.keys.count <= Int(statement.followingEntries) else {
      throw failure(.contradiction, "it names more keys than entries that introduce them")
    }
    var gone: Set<AuthorID> = []
    for cut in statement.authors {
      guard let author = authors[cut.author], author.cut == nil else {
        throw failure(.contradiction, "an author that it cuts off is unknown or was cut off before")
      }
      if author.isAdmin {
        guard entry.signer == .root else { throw failure(.notAuthorised, "only root removes an admin") }
        guard cut.groups == nil else { throw failure(.contradiction, "an admin cannot lose single groups") }
      }
      if cut.groups == nil { gone.insert(cut.author) }
    }
    for machine in statement.machines {
      guard let device = devices[machine.device], device.revocation == nil else {
        throw failure(.contradiction, "a machine that it revokes is unknown or was revoked before")
      }
    }
    var removed: Set<ApplicationID> = []
    for registration in statement.apps {
      guard let app = registrations[registration], apps[app.id]?.registration == registration else {
        throw failure(.contradiction, "an app that it removes is not registered")
      }
      removed.insert(app.id)
    }
    guard removed.allSatisfy({ holders(of: $0).isSubset(of: gone) }) else {
      throw failure(.contradiction, "it leaves authors to an app that it removes")
    }
    let revoked = Set(statement.machines.map(\.device))
    func isLeft(_ author: Author) -> Bool {
      author.cut == nil && revoked.contains(author.device) && !gone.contains(author.id)
    }
    guard revoked.isEmpty || !authors.values.contains(where: isLeft) else {
      throw failure(.contradiction, "it leaves authors to a machine that it revokes")
    }
    var wanted = Set(groupsToRenew(after: statement).map(\.id))
    if !statement.machines.isEmpty { wanted.insert(.none) }
    try checkKeys(statement.keys, replacing: wanted, in: entry)
    remove(
      Revocation(
        position: entry.position, time: entry.time, signer: entry.signer, statement: statement,
        apps: removed.sorted { $0.description < $1.description }))
  }

  /// Removes what a revocation names, as far as this membership has it.
  private mutating func remove(_ revocation: Revocation) {
    for cut in revocation.statement.authors { apply(cut, of: revocation) }
    for machine in revocation.statement.machines where devices[machine.device]?.revocation == nil {
      devices[machine.device]?.revocation = revocation.position
      devices[machine.device]?.lastSegments = Dictionary(machine.ends.map { ($0.stream, $0) }) { first, _ in first }
    }
    if !revocation.apps.isEmpty {
      for app in revocation.apps { apps[app] = nil }
      registrations = registrations.filter { !revocation.apps.contains($0.value.id) }
    }
    revocations.append(revocation)
  }

  /// Removes what revocations on the branches of a fork remove, and keeps the position. `branches` are the memberships
  /// at their ends.
  mutating func removeAll(of branches: [Membership]) {
    let own = Set(revocations.map(\.position.hash))
    var found: [EntryHash: Revocation] = [:]
    for branch in branches {
      for revocation in branch.complete.revocations where !own.contains(revocation.position.hash) {
        // What an admin did counts for nothing if root has removed that admin on another branch.
        let isVoid = branches.contains { other in
          other.hasRemoved(revocation.signer)
            && !other.revocations.contains { $0.position.hash == revocation.position.hash }
        }
        if !isVoid { found[revocation.position.hash] = revocation }
      }
    }
    // The first cut of an author applies, so the order must not depend on the machine.
    for revocation in found.values.sorted(by: {
      ($0.position.sequence, $0.position.hash.raw) < ($1.position.sequence, $1.position.hash.raw)
    }) { remove(revocation) }
  }

  /// Whether root has removed an admin.
  func hasRemoved(_ signer: LogEntry.Signer) -> Bool {
    if case .admin(let id) = signer { authors[id]?.cut != nil } else { false }
  }

  /// The groups of which an author that a revocation removes has keys, in ascending order of identifier. Its own keys
  /// and lists are not considered.
  package func groupsToRenew(after statement: RevocationStatement) -> [RegisteredGroup] {
    var found: Set<GroupID> = []
    // The identifiers of an app's groups are hashes of their names, and many authors have the same app.
    var ofApps: [ApplicationID: [GroupID]] = [:]
    for cut in statement.authors {
      guard let author = authors[cut.author] else { continue }
      let candidates: [GroupID]
      if let lost = cut.groups {
        candidates = lost.filter { !$0.keepsReading }.map(\.group)
      } else if let app = author.application {
        candidates = ofApps[app] ?? groupIDs(of: app)
        ofApps[app] = candidates
      } else {
        candidates = Array(groups.keys)
      }
      found.formUnion(candidates.filter { access(of: author, to: $0) != nil })
    }
    return found.sorted().compactMap { groups[$0] }
  }

  private func groupIDs(of app: ApplicationID) -> [GroupID] {
    apps[app]?.entitlements.groups.map { GroupID(vault: vault, name: $0.name.description) } ?? []
  }

  private mutating func apply(_ cut: RevocationStatement.CutAuthor, of revocation: Revocation) {
    guard let author = authors[cut.author], author.cut == nil else { return }
    let end = AuthorCut(
      revocation: revocation.position, isAdmin: author.isAdmin,
      entitlements: isReadOnly(author) ? nil : author.application.flatMap { apps[$0]?.entitlements },
      keepsReading: false,
      recordLists: revocation.statement.recordLists)
    guard let groups = cut.groups else {
      authors[cut.author]?.cut = end
      if devices[author.device]?.admin == author.id { devices[author.device]?.role = .member }
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
    principals[application, default: []].filter { authors[$0]?.cut == nil }
  }

  /// Verifies that a registration takes no access away which its app's authors still have: a record that was written
  /// under the earlier registration must stay valid, and whoever has a key keeps it.
  func checkKeepsAccess(
    _ entitlements: Entitlements, in entry: LogEntry
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
      guard !keepsAccess else {
        throw TrustError(
          .contradiction, at: entry.sequence, "it removes an app's access, which only a revocation may do")
      }
    }
  }
}

/// A statement of the membership log that an item's value need not be replaced after a revocation.
package struct Dismissal: Hashable, Sendable {
  package let position: LogPosition
  package let time: Timestamp
  package let signer: LogEntry.Signer
  /// Why not, as the signer wrote it. It can contain any character.
  package let reason: String
}
