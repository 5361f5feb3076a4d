import CofferCrypto
import CofferFormat
import CofferKeys
import CofferTrust
import Testing

/// A vault with two admins' machines and a member, two apps on each of them, and three groups. Members of it can be
/// removed.
struct RevocableVault {
  /// A revocation and the entries that belong to it.
  struct Batch {
    var revocation: RevocationStatement
    var following: [Statement]
    var lists: [RecordList]
    var groupKeys: [GroupID: GroupKeys]
    var transport: TransportKey

    /// Those of the following statements that renew group keys.
    var renewals: [GroupKeyRenewalStatement] {
      following.compactMap { if case .groupKeyRenewal(let renewal) = $0 { renewal } else { nil } }
    }
  }

  /// An app on a machine.
  struct Principal {
    let id: AuthorID
    let keys: PartyKeys
  }

  static let writer = "com.example.writer"
  static let reader = "com.example.reader"
  /// The groups of the writer: its own is the third. The reader may only read the first.
  static let groupNames = ["com.example.shared", "com.example.drafts", writer]

  var log = SampleMembership()
  let secondDevice = PartyKeys.random()
  let secondAdmin = PartyKeys.random()
  let memberDevice = PartyKeys.random()
  /// The newest keys of the groups.
  var groupKeys: [GroupID: GroupKeys] = [:]
  var transport = TransportKey.random()
  /// The writers on the first machine, on the second admin's and on the member.
  private(set) var writers: [Principal] = []
  private(set) var readers: [Principal] = []

  init() throws {
    try log.append(
      .transportKey(
        TransportKeyStatement(generation: 1, commitment: transport.commitment, wrappedPrevious: [], boxes: [])),
      by: .root)
    try log.append(
      .device(
        DeviceStatement(
          keys: secondDevice.publicKeys,
          role: .admin(secondAdmin.publicKeys, delivery: AgreementKey.random().publicKey), name: "second")),
      by: .root)
    try log.append(
      .device(
        DeviceStatement(
          keys: memberDevice.publicKeys, role: .member(delivery: AgreementKey.random().publicKey), name: "member")))
    let writer = try log.append(log.app(Self.writer, stating: writerGroups))
    let reader = try log.append(log.app(Self.reader, stating: readerGroups))
    for device in [log.deviceID, secondID, memberID] {
      writers.append(try addPrincipal(of: writer.hash, on: device))
      readers.append(try addPrincipal(of: reader.hash, on: device))
    }
    for name in Self.groupNames + [Self.reader] {
      let keys = GroupKeys.random(group: log.group(name))
      try log.append(try log.groupKey(name, keys: keys, to: recipients(name)))
      groupKeys[keys.group] = keys
    }
  }

  var secondID: DeviceID { DeviceID(vault: log.vault, keys: secondDevice.publicKeys) }
  var memberID: DeviceID { DeviceID(vault: log.vault, keys: memberDevice.publicKeys) }
  var adminID: AuthorID { AuthorID(vault: log.vault, keys: log.admin.publicKeys) }
  var secondAdminID: AuthorID { AuthorID(vault: log.vault, keys: secondAdmin.publicKeys) }
  var secondSigner: LogEntry.Signer { .admin(secondAdminID) }
  var shared: GroupID { log.group(Self.groupNames[0]) }
  var drafts: GroupID { log.group(Self.groupNames[1]) }
  var membership: Membership { log.membership }

  var writerGroups: [StatedGroup] {
    Self.groupNames.map { name in
      StatedGroup(
        name: "\(log.membership.team).\(name)",
        source: name == Self.writer ? .applicationIdentifier : .keychainAccessGroups)
    }
  }

  var readerGroups: [StatedGroup] {
    [(Self.reader, .applicationIdentifier), (Self.groupNames[0], .readOnlyAccessGroups)].map { name, source in
      StatedGroup(name: "\(log.membership.team).\(name)", source: source)
    }
  }

  /// The keys of an author of this vault; nil for another one.
  func keys(of author: AuthorID) -> PartyKeys? {
    if author == adminID { return log.admin }
    if author == secondAdminID { return secondAdmin }
    return (writers + readers).first { $0.id == author }?.keys
  }

  /// Adds an app on a machine, without giving it keys.
  @discardableResult
  mutating func addPrincipal(of registration: EntryHash, on device: DeviceID) throws -> Principal {
    let keys = PartyKeys.random()
    try log.append(.principal(PrincipalStatement(app: registration, device: device, keys: keys.publicKeys)))
    return Principal(id: AuthorID(vault: log.vault, keys: keys.publicKeys), keys: keys)
  }

  /// Those who may read a group, with the keys that open their boxes.
  func recipients(_ name: String) throws -> [(AuthorID, BoxKey)] {
    let group = try #require(AccessGroupName("\(membership.team).\(name)"))
    return membership.recipients(of: group, at: Timestamp(microseconds: 2)).map { id in
      (id, membership.authors[id]?.keys.box ?? membership.root.box)
    }
  }

  /// Returns the next generation of a group's key, sealed for all its readers.
  func renewal(
    of group: GroupID, to keys: GroupKeys, wrapping wrapped: GroupKeys? = nil, without left: AuthorID? = nil
  ) throws -> GroupKeyRenewalStatement {
    let earlier = try #require(wrapped ?? groupKeys[group])
    let name = try #require(membership.groups[group]).name
    let boxes = try membership.recipients(of: name, at: Timestamp(microseconds: 2)).filter { $0 != left }.map { id in
      let key = membership.authors[id]?.keys.box ?? membership.root.box
      return AddressedBox(recipient: id, box: try key.seal(keys.secret))
    }
    return GroupKeyRenewalStatement(
      group: group, generation: keys.generation, commitment: keys.commitment,
      wrappedGeneration: earlier.generation, wrapped: keys.wrap(earlier), boxes: boxes)
  }

  /// Returns what a program would sign to remove machines, apps and rights.
  ///
  /// - Parameters:
  ///   - machines: The machines, with all their authors.
  ///   - apps: The latest registrations of the apps, with all their authors.
  ///   - authors: Further authors.
  ///   - records: The records that stay valid.
  /// - Returns: The revocation, the statements that follow it, and what they introduce.
  /// - Throws: `TrustError` if the log rejects the revocation.
  func batch(
    machines: [DeviceID] = [], apps: [EntryHash] = [], authors: [RevocationStatement.CutAuthor] = [],
    records: [RecordHash] = []
  ) throws -> Batch {
    let removed = membership.apps.values.filter { apps.contains($0.registration) }.map(\.id)
    var gone: Set<AuthorID> = []
    for machine in machines { gone.formUnion(membership.holders(on: machine)) }
    for app in removed { gone.formUnion(membership.holders(of: app)) }
    let cuts = authors + gone.map { RevocationStatement.CutAuthor(author: $0, groups: nil) }
    let lists = RecordList.lists(of: records, in: log.vault)
    func statement(_ keys: [NewKey]) -> RevocationStatement {
      RevocationStatement(
        machines: machines.map { RevocationStatement.Machine(device: $0, ends: []) }, apps: apps, authors: cuts,
        recordCount: UInt64(records.count), recordLists: lists.map(\.hash), followingEntries: UInt32(keys.count),
        keys: keys)
    }
    var made = groupKeys
    var keys = try membership.groupsToRenew(after: statement([])).map { group in
      let next = try #require(groupKeys[group.id]).later(generation: UInt32(group.generations.count) + 1)
      made[group.id] = next
      return NewKey(group: group.id, generation: next.generation, commitment: next.commitment)
    }
    let nextTransport = machines.isEmpty ? transport : transport.next()
    if !machines.isEmpty {
      keys.append(
        NewKey(
          group: .none, generation: nextTransport.generation, commitment: nextTransport.commitment))
    }
    // The readers are those who remain.
    var after = self
    try after.log.append(.revocation(statement(keys)), by: .root)
    var following = try keys.filter { $0.group != .none }.map { key in
      Statement.groupKeyRenewal(try after.renewal(of: key.group, to: #require(made[key.group])))
    }
    if !machines.isEmpty {
      following.append(
        .transportKey(
          TransportKeyStatement(
            generation: nextTransport.generation, commitment: nextTransport.commitment,
            wrappedPrevious: nextTransport.wrap(transport, in: log.vault), boxes: [])))
    }
    return Batch(
      revocation: statement(keys), following: following, lists: lists, groupKeys: made, transport: nextTransport)
  }

  /// Signs and applies a revocation and everything that belongs to it.
  @discardableResult
  mutating func apply(_ batch: Batch, by signer: LogEntry.Signer = .root) throws -> LogEntry {
    log.membership.add(batch.lists)
    let entry = try log.append(.revocation(batch.revocation), by: signer, key: signingKey(of: signer))
    for statement in batch.following { try log.append(statement, by: signer, key: signingKey(of: signer)) }
    groupKeys = batch.groupKeys
    transport = batch.transport
    return entry
  }

  func signingKey(of signer: LogEntry.Signer) -> SigningKey {
    switch signer {
    case .root: log.root.signing
    case .admin(let id): id == secondAdminID ? secondAdmin.signing : log.admin.signing
    }
  }

  /// Returns a record of a group by an author of this vault under the newest key.
  func record(by author: AuthorID, in group: GroupID, item: UInt8 = 0) throws -> Record {
    try log.record(
      keys: #require(groupKeys[group]), author: author, signer: #require(keys(of: author)).signing, item: item)
  }
}

extension RevocationStatement {
  /// Returns this statement with other fields.
  func with(
    machines: [Machine]? = nil, apps: [EntryHash]? = nil, authors: [CutAuthor]? = nil, followingEntries: UInt32? = nil,
    keys: [NewKey]? = nil
  ) -> RevocationStatement {
    RevocationStatement(
      machines: machines ?? self.machines, apps: apps ?? self.apps, authors: authors ?? self.authors,
      recordCount: recordCount, recordLists: recordLists, followingEntries: followingEntries ?? self.followingEntries,
      keys: keys ?? self.keys)
  }
}
