import CofferCrypto
import CofferFormat
import CofferKeys
import CofferTrust
import Testing

@Suite struct MembershipRuleTests {
  private func device(_ name: String = "second", admin: PartyKeys? = nil, keys: PartyKeys = .random()) -> Statement {
    let delivery = AgreementKey.random().publicKey
    let role = admin.map { DeviceStatement.Role.admin($0.publicKeys, delivery: delivery) }
    return .device(DeviceStatement(keys: keys.publicKeys, role: role ?? .member(delivery: delivery), name: name))
  }

  @Test func `The genesis enrols the first machine and its admin, and nothing else`() {
    let fixture = SampleMembership()
    let membership = fixture.membership
    #expect(membership.head == LogPosition(sequence: 0, hash: membership.genesis.hash))
    #expect(membership.devices.count == 1 && membership.authors.count == 1)
    #expect(membership.apps.isEmpty && membership.groups.isEmpty && membership.transportCommitments.isEmpty)
    #expect(membership.firstUnknownCritical == nil)
  }

  @Test func `An applied entry becomes the head`() throws {
    var fixture = SampleMembership()
    let entry = try fixture.append(device())
    #expect(fixture.membership.head == entry.position && entry.sequence == 1)
    #expect(fixture.membership.headTime == Timestamp(microseconds: 2))
    #expect(fixture.membership.devices.count == 2)
  }

  @Test func `An entry that does not follow the head is a broken chain`() throws {
    var fixture = SampleMembership()
    let first = try fixture.append(device())
    let wrongHash = fixture.entry(
      device(), after: LogPosition(sequence: 1, hash: EntryHash(Bytes32.zero)))
    let skipped = fixture.entry(device(), after: LogPosition(sequence: 2, hash: first.hash))
    for entry in [first, wrongHash, skipped] {
      #expect(refusal(of: entry, by: fixture.membership) == .brokenChain)
    }
  }

  @Test func `An entry of another vault is refused, whoever signed it`() {
    let fixture = SampleMembership()
    let entry = fixture.entry(device(), vault: SampleMembership().vault)
    #expect(refusal(of: entry, by: fixture.membership) == .malformed)
  }

  @Test func `Only root and admins sign, each with their own key`() throws {
    var fixture = SampleMembership()
    let stranger = PartyKeys.random()
    let principal = try fixture.register("com.example.one", groups: ["com.example.one"])
    let unsigned = [
      fixture.entry(device(), by: .root, key: fixture.admin.signing),
      fixture.entry(device(), key: fixture.root.signing),
      fixture.entry(device(), key: stranger.signing),
      fixture.entry(device(), key: fixture.device.signing),
      fixture.entry(
        device(), by: .admin(AuthorID(vault: fixture.vault, keys: stranger.publicKeys)), key: stranger.signing),
      // An app's own keys cannot change the membership.
      fixture.entry(device(), by: .admin(principal.id), key: principal.keys.signing),
    ]
    for entry in unsigned { #expect(refusal(of: entry, by: fixture.membership) == .notAuthorised) }
  }

  @Test func `Only root enrols an admin; an admin enrols other machines`() throws {
    var fixture = SampleMembership()
    let second = PartyKeys.random()
    #expect(refusal(of: fixture.entry(device(admin: second)), by: fixture.membership) == .notAuthorised)
    try fixture.append(device(admin: second), by: .root)
    try fixture.append(device("third"))
    // From now on the new admin signs.
    let signer = LogEntry.Signer.admin(AuthorID(vault: fixture.vault, keys: second.publicKeys))
    try fixture.append(device("fourth"), by: signer, key: second.signing)
    #expect(fixture.membership.devices.values.map(\.name).sorted() == ["first machine", "fourth", "second", "third"])
    #expect(fixture.membership.devices.values.count { $0.admin != nil } == 2)
  }

  @Test func `A machine is enrolled once, and what the genesis does not say of the first one is stated once`() throws {
    var fixture = SampleMembership()
    let keys = PartyKeys.random()
    try fixture.append(device(keys: keys))
    #expect(refusal(of: fixture.entry(device("again", keys: keys)), by: fixture.membership) == .contradiction)
    let laptop = device("laptop", admin: fixture.admin, keys: fixture.device)
    #expect(refusal(of: fixture.entry(laptop), by: fixture.membership) == .notAuthorised)
    let withoutAdmin = device("laptop", keys: fixture.device)
    let otherAdmin = device("laptop", admin: .random(), keys: fixture.device)
    for statement in [withoutAdmin, otherAdmin] {
      #expect(refusal(of: fixture.entry(statement, by: .root), by: fixture.membership) == .contradiction)
    }
    #expect(fixture.membership.devices[fixture.deviceID]?.deliveryKey == nil)
    try fixture.append(laptop, by: .root)
    let first = try #require(fixture.membership.devices[fixture.deviceID])
    #expect(first.name == "laptop" && first.deliveryKey != nil)
    for statement in [laptop, device("desk", admin: fixture.admin, keys: fixture.device), withoutAdmin, otherAdmin] {
      #expect(refusal(of: fixture.entry(statement, by: .root), by: fixture.membership) == .contradiction)
    }
  }

  @Test func `Keys that an app or another admin uses cannot become those of a second admin`() throws {
    var fixture = SampleMembership()
    let principal = try fixture.register("com.example.one", groups: ["com.example.one"])
    for keys in [principal.keys, fixture.admin] {
      #expect(refusal(of: fixture.entry(device(admin: keys), by: .root), by: fixture.membership) == .contradiction)
    }
  }

  @Test func `Transport keys are added in the order of their generations`() throws {
    var fixture = SampleMembership()
    func key(_ generation: UInt32) -> Statement {
      .transportKey(
        TransportKeyStatement(
          generation: generation, commitment: TransportKey.random().commitment, wrappedPrevious: [], boxes: [])
      )
    }
    #expect(refusal(of: fixture.entry(key(2), by: .root), by: fixture.membership) == .contradiction)
    try fixture.append(key(1), by: .root)
    for generation: UInt32 in [0, 1, 3] {
      #expect(refusal(of: fixture.entry(key(generation), by: .root), by: fixture.membership) == .contradiction)
    }
    try fixture.append(key(2), by: .root)
    #expect(fixture.membership.transportCommitments.count == 2)
  }

  @Test func `The first transport key is mixed into later ones if it was given to nobody by a box`() throws {
    for boxes in [[], [[UInt8](repeating: 0, count: 80)]] {
      var fixture = SampleMembership()
      let commitment = TransportKey.random().commitment
      let first = TransportKeyStatement(generation: 1, commitment: commitment, wrappedPrevious: [], boxes: boxes)
      try fixture.append(.transportKey(first), by: .root)
      #expect(fixture.membership.mixesTransportKeys == boxes.isEmpty)
    }
  }

  @Test func `An admin cannot use up the transport keys that root needs to remove it`() throws {
    var fixture = SampleMembership()
    func key(_ generation: Int) -> Statement {
      .transportKey(
        TransportKeyStatement(
          generation: UInt32(generation), commitment: Hash.digest([], domain: .keyCommitment), wrappedPrevious: [],
          boxes: []))
    }
    let limit = Limits.transportKeys - Limits.transportKeysForRoot
    for generation in 1...limit { try fixture.append(key(generation)) }
    #expect(refusal(of: fixture.entry(key(limit + 1)), by: fixture.membership) == .contradiction)
    for generation in limit + 1...Limits.transportKeys { try fixture.append(key(generation), by: .root) }
    let last = fixture.entry(key(Limits.transportKeys + 1), by: .root)
    #expect(refusal(of: last, by: fixture.membership) == .contradiction)
  }

  @Test func `A vault has at most as many groups as one change of all their keys can name`() throws {
    var fixture = SampleMembership()
    func group(_ number: Int) -> Statement {
      .groupKey(
        GroupKeyStatement(
          name: "\(fixture.membership.team).com.example.a\(number)", commitment: .zero, boxes: []))
    }
    for number in 0..<Limits.groups { try fixture.append(group(number)) }
    #expect(refusal(of: fixture.entry(group(Limits.groups)), by: fixture.membership) == .contradiction)
    #expect(Limits.groups < Limits.newKeys)
  }

  @Test func `A registration must have valid names`() throws {
    let fixture = SampleMembership()
    let wildcard = fixture.app("com.example.one", groups: ["com.example.*"])
    #expect(refusal(of: fixture.entry(wildcard), by: fixture.membership) == .malformed)
    let nonsense = Statement.app(
      AppStatement(
        applicationID: "x", bundleID: "x", sourcePrefix: nil, requiresPassphrase: false,
        groups: [StatedGroup(name: "x", source: .applicationIdentifier)], entitlements: []))
    #expect(refusal(of: fixture.entry(nonsense), by: fixture.membership) == .malformed)
  }

  @Test func `A later registration may extend an app's access, and not reduce that of its authors`() throws {
    var fixture = SampleMembership()
    _ = try fixture.register("com.example.one", groups: ["com.example.a"], readOnly: ["com.example.b"])
    for name in ["com.example.a", "com.example.b"] {
      try fixture.append(fixture.groupKey(name, keys: .random(group: fixture.group(name)), to: []))
    }
    for narrower in [
      fixture.app("com.example.one", readOnly: ["com.example.b"]),
      fixture.app("com.example.one", groups: ["com.example.a"]),
      fixture.app("com.example.one", readOnly: ["com.example.a", "com.example.b"]),
    ] { #expect(refusal(of: fixture.entry(narrower), by: fixture.membership) == .contradiction) }
    let wider = try fixture.append(
      fixture.app("com.example.one", groups: ["com.example.a", "com.example.b", "com.example.c"]))
    let app = try #require(fixture.membership.apps.values.first)
    #expect(app.registration == wider.hash && app.entitlements.groups.count == 4)
  }

  @Test func `A principal needs a registered app, an enrolled machine, and unused keys`() throws {
    var fixture = SampleMembership()
    let registration = try fixture.append(fixture.app("com.example.one"))
    let keys = PartyKeys.random().publicKeys
    let unknownApp = PrincipalStatement(app: EntryHash(Bytes32.zero), device: fixture.deviceID, keys: keys)
    let unknownMachine = PrincipalStatement(app: registration.hash, device: DeviceID(Bytes16.zero), keys: keys)
    let keysOfAdmin = PrincipalStatement(
      app: registration.hash, device: fixture.deviceID, keys: fixture.admin.publicKeys)
    for statement in [unknownApp, unknownMachine, keysOfAdmin] {
      #expect(refusal(of: fixture.entry(.principal(statement)), by: fixture.membership) == .contradiction)
    }
    let valid = PrincipalStatement(app: registration.hash, device: fixture.deviceID, keys: keys)
    try fixture.append(.principal(valid))
    #expect(refusal(of: fixture.entry(.principal(valid)), by: fixture.membership) == .contradiction)
    let app = try #require(fixture.membership.apps.keys.first)
    let roles = fixture.membership.authors.values.map(\.role)
    #expect(
      roles.filter { $0 == .principal(app, registration: registration.hash, fixture.deviceID) }.count == 1)
  }

  @Test func `Group keys are added in the order of generations, under valid names, and granted if they exist`() throws {
    var fixture = SampleMembership()
    let keys = GroupKeys.random(group: fixture.group("com.example.a"))
    let second = try fixture.renewal("com.example.a", keys: keys.later(generation: 2), wrapping: keys)
    #expect(refusal(of: fixture.entry(second), by: fixture.membership) == .contradiction)
    let badName = Statement.groupKey(
      GroupKeyStatement(name: "a*", commitment: keys.commitment, boxes: []))
    #expect(refusal(of: fixture.entry(badName), by: fixture.membership) == .malformed)
    let grant = GrantStatement(group: keys.group, generation: 1, boxes: [])
    #expect(refusal(of: fixture.entry(.grant(grant)), by: fixture.membership) == .contradiction)
    let first = try fixture.groupKey("com.example.a", keys: keys, to: [])
    try fixture.append(first)
    #expect(refusal(of: fixture.entry(first), by: fixture.membership) == .contradiction)
    try fixture.append(.grant(grant))
    for generation: UInt32 in [0, 2] {
      let beyond = GrantStatement(group: keys.group, generation: generation, boxes: [])
      #expect(refusal(of: fixture.entry(.grant(beyond)), by: fixture.membership) == .contradiction)
    }
    try fixture.append(second)
    #expect(fixture.membership.groups[keys.group]?.generations.map(\.number) == [1, 2])
  }

  @Test func `An unknown critical kind is kept and marks the log; an uncritical one does not mark it`() throws {
    var fixture = SampleMembership()
    try fixture.membership.apply(try fixture.unknownEntry(isCritical: false))
    #expect(fixture.membership.firstUnknownCritical == nil && fixture.membership.head.sequence == 1)
    try fixture.membership.apply(try fixture.unknownEntry(isCritical: true))
    // The numbers 2 and 3 are of no statement.
    for kind: UInt16 in [1000, 2, 3] {
      try fixture.membership.apply(try fixture.unknownEntry(kind: kind, isCritical: true))
    }
    #expect(fixture.membership.firstUnknownCritical == 2 && fixture.membership.head.sequence == 5)
    try fixture.append(device())
    #expect(fixture.membership.devices.count == 2)
  }

  @Test func `A group's key is boxed only for its readers, and no box is replaced`() throws {
    var fixture = SampleMembership()
    let entitled = try fixture.register("com.example.one", groups: ["com.example.shared"])
    let other = try fixture.register("com.example.two", groups: ["com.example.two"])
    let keys = GroupKeys.random(group: fixture.group("com.example.shared"))
    let outsider = try fixture.groupKey(
      "com.example.shared", keys: keys, to: [(other.id, other.keys.agreement.publicKey)])
    #expect(refusal(of: fixture.entry(outsider), by: fixture.membership) == .notAuthorised)

    try fixture.append(
      try fixture.groupKey("com.example.shared", keys: keys, to: [(.root, fixture.root.agreement.publicKey)]))
    func grant(_ recipient: AuthorID, _ key: BoxKey) throws -> Statement {
      let box = AddressedBox(recipient: recipient, box: try key.seal(keys.secret))
      return .grant(GrantStatement(group: keys.group, generation: 1, boxes: [box]))
    }
    #expect(
      refusal(of: fixture.entry(try grant(other.id, other.keys.agreement.publicKey)), by: fixture.membership)
        == .notAuthorised)
    #expect(
      refusal(of: fixture.entry(try grant(.root, entitled.keys.agreement.publicKey)), by: fixture.membership)
        == .contradiction)
    try fixture.append(try grant(entitled.id, entitled.keys.agreement.publicKey))
  }
}
