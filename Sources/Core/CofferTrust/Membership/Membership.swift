package import CofferCrypto
package import CofferFormat

/// The state of the membership log: devices, apps, authors and groups. Each entry is verified before it is applied.
///
/// No stored property has a default value: ``init(genesis:)`` and the one of ``FoldCoder`` must both give it one.
package struct Membership: Sendable {
  package let genesis: Genesis
  /// The team of `$(AppIdentifierPrefix)`. It is a label; the vault is identified by the whole hash of its genesis.
  package let team: TeamID
  /// The position of the last entry.
  package internal(set) var head: LogPosition
  /// The time of the last entry, by its signer's clock.
  package internal(set) var headTime: Timestamp
  package internal(set) var devices: [DeviceID: Device]
  package internal(set) var authors: [AuthorID: Author]
  /// The read-only machines, with the time from which on no new key is sealed to each. Most vaults have none, so that
  /// it costs nothing to ask for each recipient of a key.
  var expiries: [DeviceID: Timestamp]
  /// The machines that were enrolled by invitation. No invitation is used twice, not even that of a revoked machine.
  package internal(set) var invitations: [InvitationID: DeviceID]
  /// The latest registration of each application identifier.
  package internal(set) var apps: [ApplicationID: App]
  package internal(set) var groups: [GroupID: RegisteredGroup]
  /// The commitments to the transport keys, in ascending order of generation from 1.
  package internal(set) var transportCommitments: [Bytes32]
  /// Whether the first transport key has no boxes and is mixed into all later ones.
  package internal(set) var mixesTransportKeys: Bool
  /// The newest generation of the transport key, under which the envelope of the last entry must be sealed.
  package var transportGeneration: UInt32 { UInt32(transportCommitments.count) }
  /// The first critical entry of a kind that is unknown to this program.
  package internal(set) var firstUnknownCritical: UInt64?
  /// The revocations, oldest first.
  package internal(set) var revocations: [Revocation]
  /// The items that need not be replaced, by the entry of the revocation after which they would have to be.
  var dismissals: [EntryHash: [ItemAddress: Dismissal]]
  /// The lists of records that stay valid after the revocations, by the hashes that these name.
  package internal(set) var recordLists: [Bytes32: RecordList]
  /// The successions of root, oldest first.
  package internal(set) var successions: [Succession]
  /// The revocation or succession whose following entries are not complete yet.
  var batch: EntryBatch?
  var withdrawn: [LogEntry.Signer: Set<EntryHash>]
  /// The entries that root has named to end forks: their branches count for nothing on this one.
  var rejected: Set<EntryHash>
  /// The admins, and the authors of each app: what ends their rights is in ``authors``. Most groups have a small part
  /// of a large vault's authors as readers, which are looked for at each new key.
  var admins: Set<AuthorID>
  var principals: [ApplicationID: Set<AuthorID>]
  /// All registrations, including those that were replaced later.
  package internal(set) var registrations: [EntryHash: App]

  /// The machines that are not revoked.
  package var members: [Device] { devices.values.filter { $0.revocation == nil } }

  /// The machines whose owners may change the membership.
  package var adminMachines: [Device] { devices.values.filter { $0.admin != nil } }

  /// Root's public keys: those of the genesis, or of the last succession.
  package var root: PartyPublicKeys { successions.last?.statement.root ?? genesis.root }
  /// The number of the root, 1 for that of the genesis.
  package var rootGeneration: UInt32 { UInt32(successions.count) + 1 }

  package var vault: VaultID { genesis.vault }

  /// Creates the membership of a vault before its first log entry.
  package init(genesis: Genesis) {
    self.genesis = genesis
    team = TeamID(genesis: genesis.hash)
    head = LogPosition(sequence: 0, hash: genesis.hash)
    headTime = genesis.created
    let device = DeviceID(vault: genesis.vault, keys: genesis.firstDevice)
    let admin = AuthorID(vault: genesis.vault, keys: genesis.firstAdmin)
    devices = [
      device: Device(
        id: device, keys: genesis.firstDevice, deliveryKey: nil, role: .admin(admin), name: "first machine",
        enrolled: genesis.created, signer: .root)
    ]
    authors = [admin: Author(id: admin, keys: genesis.firstAdmin, role: .admin(device), delivery: nil, signer: .root)]
    admins = [admin]
    expiries = [:]
    invitations = [:]
    apps = [:]
    groups = [:]
    transportCommitments = []
    mixesTransportKeys = false
    firstUnknownCritical = nil
    revocations = []
    dismissals = [:]
    recordLists = [:]
    successions = []
    batch = nil
    withdrawn = [:]
    rejected = []
    principals = [:]
    registrations = [:]
  }

  /// Verifies `entry`, which follows ``head``, against all previous ones, then applies it. If it throws, nothing has
  /// changed. `isVerified` is true if the caller has verified the signature of this entry before, and recognises the
  /// entry by its hash.
  package mutating func apply(_ entry: LogEntry, isVerified: Bool = false) throws(TrustError) {
    func failure(_ code: TrustError.Code, _ detail: String) -> TrustError {
      TrustError(code, at: entry.sequence, detail)
    }
    guard entry.vault == vault else { throw failure(.malformed, "it belongs to another vault") }
    guard entry.sequence == head.sequence + 1, entry.previous == head.hash else {
      throw failure(.brokenChain, "it does not follow entry \(head.sequence)")
    }
    guard let key = verifyingKey(of: entry.signer) else {
      throw failure(.notAuthorised, "its signer is not an admin")
    }
    guard isVerified || entry.isSigned(by: key) else {
      throw failure(
        .notAuthorised,
        entry.signer == .root ? "root did not sign it" : "the admin that it names did not sign it")
    }
    let statement: Statement?
    do throws(FormatError) {
      statement = try Statement.parse(entry)
    } catch {
      throw failure(.malformed, error.description)
    }
    var next = try batch?.following(entry, statement)
    // The earlier membership is a copy of everything that the entry changes.
    if let announced = statement?.announcedBatch { next = EntryBatch(announced, in: entry, before: self) }
    if let statement {
      try apply(statement, of: entry)
    } else if entry.isCritical, firstUnknownCritical == nil {
      firstUnknownCritical = entry.sequence
    }
    batch = next?.remaining == 0 ? nil : next
    head = entry.position
    headTime = entry.time
  }

  /// The key of the present root or of an admin; nil for a signer that is neither.
  private func verifyingKey(of signer: LogEntry.Signer) -> VerifyingKey? {
    switch signer {
    case .root: return root.verifying
    case .admin(let id):
      guard let admin = authors[id], case .admin = admin.role, admin.cut == nil else { return nil }
      return admin.keys.verifying
    }
  }

  /// Whether a signer is root or an admin.
  package func isMember(_ signer: LogEntry.Signer) -> Bool { verifyingKey(of: signer) != nil }

  /// Whether root or an admin has signed an entry, wherever in the log it belongs.
  package func isSignedByMember(_ entry: LogEntry) -> Bool {
    verifyingKey(of: entry.signer).map { entry.isSigned(by: $0) } ?? false
  }

  /// Whether the signer of an entry of this log has made the signature that a copy of the entry has. The hash of an
  /// entry leaves the signature out.
  package func hasSigned(_ entry: LogEntry) -> Bool {
    switch entry.signer {
    case .root:
      let root = successions.last { $0.position.sequence < entry.sequence }?.statement.root ?? genesis.root
      return entry.isSigned(by: root.verifying)
    // Also one that was cut since then.
    case .admin(let id): return authors[id].map { entry.isSigned(by: $0.keys.verifying) } ?? false
    }
  }

  /// Whether the signer of an entry of another branch has withdrawn it. Nobody can withdraw an entry of another signer.
  package func isWithdrawn(_ entry: EntryHash, by signer: LogEntry.Signer) -> Bool {
    withdrawn[signer]?.contains(entry) ?? false
  }

  /// Whether root has rejected the branch of an entry, which this log does not contain.
  package func hasRejected(_ entry: EntryHash) -> Bool { rejected.contains(entry) }

  /// Why an item need not be replaced after a revocation; nil if nobody has dismissed it.
  package func dismissal(of item: ItemAddress, after revocation: EntryHash) -> Dismissal? {
    dismissals[revocation]?[item]
  }

  // Each of these functions checks the whole statement before it changes anything. A copy of the membership, to be
  // thrown away after an error, would make the time of a fold grow with the square of the log's length.

  private mutating func apply(_ statement: Statement, of entry: LogEntry) throws(TrustError) {
    switch statement {
    case .transportKey(let statement): try apply(statement, of: entry)
    case .device(let statement): try apply(statement, of: entry)
    case .appointment(let statement): try apply(statement, of: entry)
    case .app(let statement): try apply(statement, of: entry)
    case .principal(let statement): try apply(statement, of: entry)
    case .groupKey(let statement): try apply(statement, of: entry)
    case .groupKeyRenewal(let statement): try apply(statement, of: entry)
    case .revocation(let statement): try apply(statement, of: entry)
    case .succession(let statement):
      try check(statement, of: entry)
      successions.append(Succession(position: entry.position, time: entry.time, statement: statement))
    case .grant(let statement): try apply(statement, of: entry)
    case .resolution(let statement): try apply(statement, of: entry)
    case .withdrawal(let statement): withdrawn[entry.signer, default: []].formUnion(statement.entries)
    case .dismissal(let statement): apply(statement, of: entry)
    case .deviceName(let statement): apply(statement)
    case .groupRequirement(let statement): try apply(statement, of: entry)
    }
  }

  private mutating func apply(_ statement: DismissalStatement, of entry: LogEntry) {
    let dismissal =
      statement.reason.isEmpty
      ? nil
      : Dismissal(position: entry.position, time: entry.time, signer: entry.signer, reason: statement.reason)
    for item in statement.items { dismissals[statement.revocation, default: [:]][item] = dismissal }
  }

  private mutating func apply(_ statement: ResolutionStatement, of entry: LogEntry) throws(TrustError) {
    guard entry.signer == .root else {
      throw TrustError(.notAuthorised, at: entry.sequence, "only root may end a fork")
    }
    for key in statement.recovered {
      guard let group = groups[key.group], group.generations.indices.contains(Int(key.generation) - 1),
        group.generations.indices.contains(Int(key.wrappingGeneration) - 1)
      else {
        throw TrustError(.contradiction, at: entry.sequence, "it states a key of a generation that does not exist")
      }
    }
    for key in statement.recovered { groups[key.group]?.recovered.append(key) }
    rejected.formUnion(statement.rejected)
  }

  private mutating func apply(_ statement: TransportKeyStatement, of entry: LogEntry) throws(TrustError) {
    guard Int(statement.generation) == transportCommitments.count + 1 else {
      throw TrustError(.contradiction, at: entry.sequence, "its transport key is not the next generation")
    }
    let reserved = entry.signer == .root ? 0 : Limits.transportKeysForRoot
    guard transportCommitments.count < Limits.transportKeys - reserved else {
      throw TrustError(.contradiction, at: entry.sequence, "the vault has too many transport keys")
    }
    transportCommitments.append(statement.commitment)
    if statement.isMixedIntoLaterKeys { mixesTransportKeys = true }
  }

  private mutating func apply(_ statement: AppStatement, of entry: LogEntry) throws(TrustError) {
    let entitlements: Entitlements
    do throws(EntitlementsError) {
      entitlements = try statement.entitlements(team: team)
    } catch {
      throw TrustError(.malformed, at: entry.sequence, error.description)
    }
    try checkKeepsAccess(entitlements, in: entry)
    let app = App(
      registration: entry.hash, statement: statement, entitlements: entitlements, registered: entry.time)
    apps[app.id] = app
    registrations[entry.hash] = app
  }

  private mutating func apply(_ statement: PrincipalStatement, of entry: LogEntry) throws(TrustError) {
    guard let app = registrations[statement.app] else {
      throw TrustError(.contradiction, at: entry.sequence, "its app is not registered")
    }
    guard let device = devices[statement.device], device.revocation == nil else {
      throw TrustError(.contradiction, at: entry.sequence, "its machine is not enrolled, or was revoked")
    }
    guard statement.delivery == nil || device.deliveryKey != nil else {
      throw TrustError(.contradiction, at: entry.sequence, "its machine has no delivery key")
    }
    let id = AuthorID(vault: vault, keys: statement.keys)
    guard authors[id] == nil else {
      throw TrustError(.contradiction, at: entry.sequence, "its keys are in use")
    }
    authors[id] = Author(
      id: id, keys: statement.keys, role: .principal(app.id, registration: app.registration, statement.device),
      delivery: statement.delivery, signer: entry.signer)
    principals[app.id, default: []].insert(id)
  }

  private mutating func apply(_ statement: GroupKeyStatement, of entry: LogEntry) throws(TrustError) {
    guard let name = AccessGroupName(statement.name) else {
      throw TrustError(.malformed, at: entry.sequence, "its access group has no valid name")
    }
    try verifyRecipients(of: statement.boxes, for: name, in: entry)
    let id = GroupID(vault: vault, name: statement.name)
    guard groups[id] == nil else {
      throw TrustError(.contradiction, at: entry.sequence, "its access group exists already")
    }
    guard groups.count < Limits.groups else {
      throw TrustError(.contradiction, at: entry.sequence, "the vault has \(Limits.groups) access groups already")
    }
    let first = RegisteredGroup.Generation(
      number: 1, commitment: statement.commitment, wrappedGeneration: 0, wrapped: [], boxes: KeyBoxes(statement.boxes))
    groups[id] = RegisteredGroup(id: id, name: name, generations: [first])
  }

  private mutating func apply(_ statement: GroupKeyRenewalStatement, of entry: LogEntry) throws(TrustError) {
    guard let group = groups[statement.group], Int(statement.generation) == group.generations.count + 1 else {
      throw TrustError(.contradiction, at: entry.sequence, "its group key is not the next generation")
    }
    try verifyRecipients(of: statement.boxes, for: group.name, in: entry)
    // Its maker must not leave anybody out who may read the group. More recipients than one entry holds get grants;
    // root never needs one, because it has the first place in the order of recipients.
    let recipients = recipients(of: group.name, at: entry.time)
    guard statement.boxes.count == min(recipients.count, GroupKeyRenewalStatement.boxCapacity),
      statement.boxes.first?.recipient == .root
    else {
      throw TrustError(.contradiction, at: entry.sequence, "it does not seal the key of \(group.name) to all readers")
    }
    groups[statement.group]?.generations.append(
      RegisteredGroup.Generation(
        number: statement.generation, commitment: statement.commitment,
        wrappedGeneration: statement.wrappedGeneration, wrapped: statement.wrapped,
        boxes: KeyBoxes(statement.boxes)))
  }

  /// Verifies that a group's key is sealed only to recipients who may read the group. Other entries are errors of the
  /// program that wrote them.
  private func verifyRecipients(of boxes: [AddressedBox], for group: AccessGroupName, in entry: LogEntry)
    throws(TrustError)
  {
    guard boxes.allSatisfy({ isRecipient($0.recipient, of: group, at: entry.time) }) else {
      throw TrustError(
        .notAuthorised, at: entry.sequence, "it seals the key of \(group) to a recipient who may not read it")
    }
  }

  private mutating func apply(_ statement: GrantStatement, of entry: LogEntry) throws(TrustError) {
    let index = Int(statement.generation) - 1
    try check(statement, index, of: entry)
    for box in statement.boxes { groups[statement.group]?.generations[index].boxes.insert(box) }
  }

  private mutating func apply(_ statement: GroupRequirementStatement, of entry: LogEntry) throws(TrustError) {
    guard groups[statement.group] != nil else {
      throw TrustError(
        .contradiction, at: entry.sequence, "it demands something for an access group that does not exist")
    }
    groups[statement.group]?.requirement = statement.requirement
  }

  private func check(_ statement: GrantStatement, _ index: Int, of entry: LogEntry) throws(TrustError) {
    guard let group = groups[statement.group], group.generations.indices.contains(index) else {
      throw TrustError(.contradiction, at: entry.sequence, "it grants a group key that does not exist")
    }
    try verifyRecipients(of: statement.boxes, for: group.name, in: entry)
    // After a succession, root has no box of the earlier generations that it can open.
    let mayReplace = entry.signer == .root
    guard
      statement.boxes.allSatisfy({ box in
        group.generations[index].boxes[box.recipient] == nil || mayReplace && box.recipient == .root
      })
    else {
      throw TrustError(.contradiction, at: entry.sequence, "it replaces an existing box")
    }
  }
}

/// The reason why an entry of the membership log is invalid. It contains positions and kinds, never contents.
package struct TrustError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of error.
  package enum Code: String, Hashable, Sendable {
    /// The entry does not follow the previous one.
    case brokenChain
    /// The entry is not signed by its stated signer, or the signer may not make this statement.
    case notAuthorised
    /// The entry contradicts an earlier one.
    case contradiction
    /// The entry is malformed or belongs to another vault.
    case malformed
  }

  package let code: Code
  /// The position of the entry in the log.
  package let sequence: UInt64
  /// A description of the problem.
  package let detail: String

  package init(_ code: Code, at sequence: UInt64, _ detail: String) {
    self.code = code
    self.sequence = sequence
    self.detail = detail
  }

  package var description: String { "membership log, entry \(sequence): \(detail)" }
}
