import CofferCrypto
import CofferFormat
import CofferKeys
import CofferTrust

/// A membership log as it grows when a team enrols one machine after the other, each with the same 20 apps. Every app
/// has a group of its own, and all share one.
struct SampleLog {
  static let appCount = 20

  private(set) var membership: Membership
  private(set) var entries: [LogEntry] = []
  private let admin: PartyKeys
  private var apps: [(registration: EntryHash, group: GroupKeys)] = []
  private var shared: GroupKeys

  /// Registers the apps and creates their groups.
  ///
  /// - Parameters:
  ///   - membership: The log that grows.
  ///   - admin: The keys of one of its admins.
  /// - Throws: `TrustError` if the log rejects an entry.
  init(after membership: Membership, admin: PartyKeys) throws {
    self.membership = membership
    self.admin = admin
    let team = membership.team.description
    func groupID(_ name: String) -> GroupID { GroupID(vault: membership.vault, name: "\(team).\(name)") }
    shared = GroupKeys.random(group: groupID("com.example.team"))
    var registrations: [EntryHash] = []
    for number in 0..<Self.appCount {
      registrations.append(try append(Self.app(number, team: team)).hash)
    }
    try append(firstKey(of: shared, "\(team).com.example.team"))
    for (number, registration) in registrations.enumerated() {
      let name = "com.example.team.app\(number)"
      let keys = GroupKeys.random(group: groupID(name))
      try append(firstKey(of: keys, "\(team).\(name)"))
      apps.append((registration, keys))
    }
  }

  /// Appends the entries of further machines until the log has so many.
  ///
  /// - Parameters:
  ///   - count: The number of entries, at least.
  ///   - revocationsPerMachine: The number of apps on each machine that lose a group after it was enrolled. Each
  ///     revocation is followed by the next generation of that group's key.
  /// - Throws: `TrustError` if the log rejects an entry.
  mutating func grow(to count: Int, revocationsPerMachine: Int = 0) throws {
    while entries.count < count {
      let principals = try enrolMachine()
      for number in 0..<revocationsPerMachine {
        let index = (entries.count + number) % Self.appCount
        try takeGroup(ofApp: index, from: principals[index])
      }
    }
  }

  private mutating func takeGroup(ofApp index: Int, from author: AuthorID) throws {
    let earlier = apps[index].group
    guard let group = membership.groups[earlier.group] else { return }
    let next = earlier.later(generation: UInt32(group.generations.count) + 1)
    let lost = RevocationStatement.LostGroup(group: group.id, keepsReading: false)
    try append(
      .revocation(
        RevocationStatement(
          machines: [], apps: [], authors: [RevocationStatement.CutAuthor(author: author, groups: [lost])],
          recordCount: 0, recordLists: [], followingEntries: 1,
          keys: [
            NewKey(group: group.id, generation: next.generation, commitment: next.commitment)
          ])))
    let boxes = try membership.recipients(of: group.name, at: Timestamp(microseconds: 2)).map { recipient in
      let key = membership.authors[recipient]?.keys.box ?? membership.genesis.root.box
      return AddressedBox(recipient: recipient, box: try key.seal(next.secret))
    }
    try append(
      .groupKeyRenewal(
        GroupKeyRenewalStatement(
          group: group.id, generation: next.generation, commitment: next.commitment,
          wrappedGeneration: earlier.generation, wrapped: next.wrap(earlier), boxes: boxes)))
    apps[index].group = next
  }

  /// Returns the authors, one for each app.
  private mutating func enrolMachine() throws -> [AuthorID] {
    let keys = PartyKeys.random().publicKeys
    try append(
      .device(
        DeviceStatement(
          keys: keys, role: .member(delivery: AgreementKey.random().publicKey), name: "machine \(entries.count)")))
    let device = DeviceID(vault: membership.vault, keys: keys)
    var principals: [(id: AuthorID, box: BoxKey)] = []
    for app in apps {
      let principal = PartyKeys.random().publicKeys
      try append(.principal(PrincipalStatement(app: app.registration, device: device, keys: principal)))
      principals.append((AuthorID(vault: membership.vault, keys: principal), principal.box))
      try grant(app.group, to: principals.suffix(1))
    }
    try grant(shared, to: principals[...])
    return principals.map(\.id)
  }

  private mutating func grant(_ keys: GroupKeys, to recipients: ArraySlice<(id: AuthorID, box: BoxKey)>) throws {
    let boxes = try recipients.map { AddressedBox(recipient: $0.id, box: try $0.box.seal(keys.secret)) }
    try append(.grant(GrantStatement(group: keys.group, generation: keys.generation, boxes: boxes)))
  }

  private func firstKey(of keys: GroupKeys, _ name: String) throws -> Statement {
    .groupKey(
      GroupKeyStatement(
        name: name, commitment: keys.commitment,
        boxes: [AddressedBox(recipient: .root, box: try membership.genesis.root.box.seal(keys.secret))]))
  }

  @discardableResult
  private mutating func append(_ statement: Statement) throws -> LogEntry {
    let signer = LogEntry.Signer.admin(AuthorID(vault: membership.vault, keys: admin.publicKeys))
    let entry = LogEntry(
      vault: membership.vault, after: membership.head, time: Timestamp(microseconds: 1), signer: signer,
      key: admin.signing, statement: statement)
    try membership.apply(entry)
    entries.append(entry)
    return entry
  }

  private static func app(_ number: Int, team: String) -> Statement {
    let bundleID = "com.example.team.app\(number)"
    return .app(
      AppStatement(
        applicationID: "\(team).\(bundleID)", bundleID: bundleID, sourcePrefix: nil, requiresPassphrase: false,
        groups: [bundleID, "com.example.team"].map {
          StatedGroup(name: "\(team).\($0)", source: .keychainAccessGroups)
        },
        entitlements: []))
  }
}
