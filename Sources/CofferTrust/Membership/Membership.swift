package import CofferCrypto
package import CofferFormat

/// The membership log folded into who may what. Every entry is verified on the way in; nothing else is believed.
package struct Membership: Sendable {
  package let genesis: Genesis
  /// Names the team in `$(AppIdentifierPrefix)`: a label, while what is pinned is the whole hash.
  package let team: TeamID
  /// The last entry.
  package private(set) var head: LogPosition
  /// When the last entry was made, by its signer's clock.
  package private(set) var headTime: Timestamp
  package private(set) var devices: [DeviceID: Device]
  package private(set) var authors: [AuthorID: Author]
  /// Each application identifier's latest registration.
  package private(set) var apps: [ApplicationID: App] = [:]
  package private(set) var groups: [GroupID: AccessGroup] = [:]
  /// What each transport key's generation commits to, in ascending order from 1.
  package private(set) var transportCommitments: [Bytes32] = []
  /// The first entry whose kind this program does not know and must not ignore.
  package private(set) var firstUnknownCritical: UInt64?
  /// Every registration, also those that a later one replaced.
  private var registrations: [EntryHash: App] = [:]

  /// The vault.
  package var vault: VaultID { genesis.vault }

  /// What a vault says before its first log entry.
  package init(genesis: Genesis) {
    self.genesis = genesis
    team = TeamID(genesis: genesis.hash)
    head = LogPosition(sequence: 0, hash: genesis.hash)
    headTime = genesis.created
    let device = DeviceID(vault: genesis.vault, keys: genesis.firstDevice)
    let admin = AuthorID(vault: genesis.vault, keys: genesis.firstAdmin)
    devices = [
      device: Device(
        id: device, keys: genesis.firstDevice, admin: admin, name: "first machine", enrolled: genesis.created)
    ]
    authors = [admin: Author(id: admin, keys: genesis.firstAdmin, role: .admin(device))]
  }

  /// Verifies `entry` against everything before it and takes it in. On an error nothing has changed.
  ///
  /// - Parameter isVerified: True for an entry whose signature the caller has checked before, and which it knows by its hash to
  ///   be the same.
  package mutating func apply(_ entry: LogEntry, isVerified: Bool = false) throws(TrustError) {
    func refusal(_ code: TrustError.Code, _ detail: String) -> TrustError {
      TrustError(code, at: entry.sequence, detail)
    }
    guard entry.vault == vault else { throw refusal(.malformed, "it belongs to another vault") }
    guard entry.sequence == head.sequence + 1, entry.previous == head.hash else {
      throw refusal(.brokenChain, "it does not follow entry \(head.sequence)")
    }
    switch entry.signer {
    case .root:
      guard isVerified || entry.isSigned(by: genesis.root.verifying) else {
        throw refusal(.notAuthorised, "root did not sign it")
      }
    case .admin(let id):
      guard let admin = authors[id], case .admin = admin.role else {
        throw refusal(.notAuthorised, "its signer is no admin")
      }
      guard isVerified || entry.isSigned(by: admin.keys.verifying) else {
        throw refusal(.notAuthorised, "the admin that it names did not sign it")
      }
    }
    let statement: Statement?
    do throws(FormatError) {
      statement = try Statement.parse(entry)
    } catch {
      throw refusal(.malformed, error.description)
    }
    var next = self
    if let statement {
      try next.take(statement, of: entry)
    } else if entry.isCritical, firstUnknownCritical == nil {
      next.firstUnknownCritical = entry.sequence
    }
    next.head = entry.position
    next.headTime = entry.time
    self = next
  }

  private mutating func take(_ statement: Statement, of entry: LogEntry) throws(TrustError) {
    switch statement {
    case .transportKey(let statement): try take(statement, of: entry)
    case .device(let statement): try take(statement, of: entry)
    case .app(let statement): try take(statement, of: entry)
    case .principal(let statement): try take(statement, of: entry)
    case .groupKey(let statement): try take(statement, of: entry)
    case .grant(let statement): try take(statement, of: entry)
    }
  }

  private mutating func take(_ statement: TransportKeyStatement, of entry: LogEntry) throws(TrustError) {
    guard Int(statement.generation) == transportCommitments.count + 1 else {
      throw TrustError(.contradiction, at: entry.sequence, "its transport key is not the next generation")
    }
    transportCommitments.append(statement.commitment)
  }

  private mutating func take(_ statement: DeviceStatement, of entry: LogEntry) throws(TrustError) {
    guard entry.signer == .root || statement.adminKeys == nil else {
      throw TrustError(.notAuthorised, at: entry.sequence, "only root enrols an admin")
    }
    let id = DeviceID(vault: vault, keys: statement.keys)
    let admin = statement.adminKeys.map { AuthorID(vault: vault, keys: $0) }
    if let known = devices[id] {
      // The genesis enrols the first machine without a name; this is how the name follows.
      guard known.admin == admin, id == DeviceID(vault: vault, keys: genesis.firstDevice) else {
        throw TrustError(.contradiction, at: entry.sequence, "it enrols a machine a second time")
      }
    }
    if let admin, let known = authors[admin], known.role != .admin(id) {
      throw TrustError(.contradiction, at: entry.sequence, "its admin's keys are in use")
    }
    devices[id] = Device(
      id: id, keys: statement.keys, admin: admin, name: statement.name, enrolled: entry.time)
    if let admin, let keys = statement.adminKeys {
      authors[admin] = Author(id: admin, keys: keys, role: .admin(id))
    }
  }

  private mutating func take(_ statement: AppStatement, of entry: LogEntry) throws(TrustError) {
    let entitlements: Entitlements
    do throws(EntitlementsError) {
      entitlements = try statement.entitlements(team: team)
    } catch {
      throw TrustError(.malformed, at: entry.sequence, error.description)
    }
    guard entitlements.applicationID.description == statement.applicationID else {
      throw TrustError(.contradiction, at: entry.sequence, "its plist is of another application")
    }
    if let earlier = apps[entitlements.applicationID] {
      // Records written under the earlier registration must stay valid, and keys once boxed cannot be taken back.
      do throws(EntitlementsError) {
        try earlier.entitlements.checkSubset(of: entitlements, source: "registration of \(statement.applicationID)")
      } catch {
        throw TrustError(
          .contradiction, at: entry.sequence, "it takes access away from an app, which only a revocation can")
      }
    }
    let app = App(
      registration: entry.hash, statement: statement, entitlements: entitlements, registered: entry.time,
      revision: (apps[entitlements.applicationID]?.revision ?? -1) + 1)
    apps[app.id] = app
    registrations[entry.hash] = app
  }

  private mutating func take(_ statement: PrincipalStatement, of entry: LogEntry) throws(TrustError) {
    guard let app = registrations[statement.app] else {
      throw TrustError(.contradiction, at: entry.sequence, "its app is not registered")
    }
    guard devices[statement.device] != nil else {
      throw TrustError(.contradiction, at: entry.sequence, "its machine is not enrolled")
    }
    let id = AuthorID(vault: vault, keys: statement.keys)
    guard authors[id] == nil else {
      throw TrustError(.contradiction, at: entry.sequence, "its keys are in use")
    }
    authors[id] = Author(
      id: id, keys: statement.keys, role: .principal(app.id, registration: app.registration, statement.device))
  }

  private mutating func take(_ statement: GroupKeyStatement, of entry: LogEntry) throws(TrustError) {
    guard let name = AccessGroupName(statement.name) else {
      throw TrustError(.malformed, at: entry.sequence, "its access group has no valid name")
    }
    try check(statement.boxes, of: name, in: entry)
    let id = GroupID(vault: vault, name: statement.name)
    var group = groups[id] ?? AccessGroup(id: id, name: name, generations: [])
    guard Int(statement.generation) == group.generations.count + 1 else {
      throw TrustError(.contradiction, at: entry.sequence, "its group key is not the next generation")
    }
    group.generations.append(
      AccessGroup.Generation(
        number: statement.generation, commitment: statement.commitment, wrappedPrevious: statement.wrappedPrevious,
        boxes: Dictionary(statement.boxes.map { ($0.recipient, $0.box) }) { first, _ in first }))
    groups[id] = group
  }

  /// A key goes to nobody who may not read the group: an entry that boxes it for others was made by a faulty program.
  private func check(_ boxes: [AddressedBox], of group: AccessGroupName, in entry: LogEntry) throws(TrustError) {
    let entitled = Set(recipients(of: group))
    guard boxes.allSatisfy({ entitled.contains($0.recipient) }) else {
      throw TrustError(
        .notAuthorised, at: entry.sequence, "it seals the key of \(group) to somebody who may not read it")
    }
  }

  private mutating func take(_ statement: GrantStatement, of entry: LogEntry) throws(TrustError) {
    let index = Int(statement.generation) - 1
    guard var group = groups[statement.group], group.generations.indices.contains(index) else {
      throw TrustError(.contradiction, at: entry.sequence, "it grants a group key that does not exist")
    }
    try check(statement.boxes, of: group.name, in: entry)
    guard statement.boxes.allSatisfy({ group.generations[index].boxes[$0.recipient] == nil }) else {
      throw TrustError(.contradiction, at: entry.sequence, "it replaces a box that somebody has already")
    }
    for box in statement.boxes { group.generations[index].boxes[box.recipient] = box.box }
    groups[group.id] = group
  }
}

extension AppStatement {
  /// The entitlements that this registration stands for in a team.
  package func entitlements(team: TeamID) throws(EntitlementsError) -> Entitlements {
    try EntitlementsDocument(bytes: entitlements, source: "registration of \(applicationID)")
      .expanded(team: team, bundleID: BundleID(bundleID), sourcePrefix: sourcePrefix)
  }
}

extension TeamID {
  /// The first ten base32 characters of the genesis' hash.
  package init(genesis: EntryHash) {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
    var bits: UInt64 = 0
    for byte in genesis.raw.bytes.prefix(7) { bits = bits << 8 | UInt64(byte) }
    // 56 bits, of which the first 50 make ten characters.
    let characters = (0..<10).map { alphabet[Int(bits >> UInt64(51 - 5 * $0) & 31)] }
    guard let team = TeamID(String(decoding: characters, as: UTF8.self)) else {
      preconditionFailure("ten base32 characters are a team identifier")
    }
    self = team
  }
}
