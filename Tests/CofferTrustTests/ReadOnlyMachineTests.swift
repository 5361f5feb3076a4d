import CofferCrypto
import CofferFormat
import CofferKeys
import Testing

@testable import CofferTrust

/// Machines that may only read, until a time: the holders of headless credentials.
@Suite struct ReadOnlyMachineTests {
  private static let expiry: Int64 = 1_000

  private var vault: RevocableVault
  private let machine = PartyKeys.random()
  /// The writer on the read-only machine.
  private let principal: RevocableVault.Principal

  init() throws {
    vault = try RevocableVault()
    try vault.log.append(Self.enrolment(of: machine))
    let writer = try #require(
      vault.membership.apps.values.first { $0.statement.bundleID == RevocableVault.writer })
    let id = DeviceID(vault: vault.log.vault, keys: machine.publicKeys)
    principal = try vault.addPrincipal(of: writer.registration, on: id)
    for name in RevocableVault.groupNames {
      try vault.log.append(try Self.grant(of: name, to: principal, in: vault))
    }
  }

  private static func enrolment(of machine: PartyKeys, expires: Int64 = expiry) -> Statement {
    .device(
      DeviceStatement(
        keys: machine.publicKeys, role: .readOnly(expires: Timestamp(microseconds: expires)), name: "ci"))
  }

  private static func grant(
    of name: String, to principal: RevocableVault.Principal, in vault: RevocableVault
  ) throws -> Statement {
    let keys = try #require(vault.groupKeys[vault.log.group(name)])
    let box = try AddressedBox(recipient: principal.id, box: principal.keys.publicKeys.box.seal(keys.secret))
    return .grant(GrantStatement(group: keys.group, generation: keys.generation, boxes: [box]))
  }

  private var machineID: DeviceID { DeviceID(vault: vault.log.vault, keys: machine.publicKeys) }

  private func code(
    _ statement: Statement, by signer: LogEntry.Signer? = nil, key: SigningKey? = nil, in vault: RevocableVault? = nil,
    time: Int64 = 2
  ) -> TrustError.Code? {
    let vault = vault ?? self.vault
    return refusal(of: vault.log.entry(statement, by: signer, key: key, time: time), by: vault.membership)
  }

  private func record(item: UInt8 = 0) throws -> Record {
    try vault.log.record(
      keys: #require(vault.groupKeys[vault.shared]), author: principal.id, signer: principal.keys.signing, item: item)
  }

  @Test func `An admin or root enrols a read-only machine once, and nobody makes anything else of it`() throws {
    let device = try #require(vault.membership.devices[machineID])
    #expect(device.isReadOnly && device.admin == nil && device.deliveryKey == nil && device.name == "ci")
    #expect(device.expires == Timestamp(microseconds: Self.expiry))
    let other = Self.enrolment(of: .random())
    #expect(code(other) == nil && code(other, by: .root) == nil)
    let (keys, writer) = (machine, vault.writers[2].keys)
    for keys in [keys, writer, principal.keys] {
      let id = AuthorID(vault: vault.log.vault, keys: keys.publicKeys)
      #expect(code(other, by: .admin(id), key: keys.signing) == .notAuthorised)
    }
    // A second time, as a member, as an admin, or as one that was a member before.
    let delivery = AgreementKey.random().publicKey
    let statements = [
      Self.enrolment(of: machine), Self.enrolment(of: machine, expires: 1 << 40),
      Self.enrolment(of: vault.memberDevice), Self.enrolment(of: vault.secondDevice),
      .device(DeviceStatement(keys: machine.publicKeys, role: .member(delivery: delivery), name: "ci")),
      .device(
        DeviceStatement(
          keys: machine.publicKeys, role: .admin(PartyKeys.random().publicKeys, delivery: delivery), name: "ci")),
      .appointment(
        AppointmentStatement(
          device: machineID, adminKeys: PartyKeys.random().publicKeys,
          delivery: try DeliveredKeys(sealing: .random(), to: delivery))),
    ]
    for statement in statements { #expect(code(statement, by: .root) == .contradiction, "\(statement.kind)") }
    let app = try #require(vault.membership.apps.values.first).registration
    let delivered = try Statement.principal(
      PrincipalStatement(
        app: app, device: machineID, keys: PartyKeys.random().publicKeys,
        delivery: DeliveredKeys(sealing: .random(), to: delivery)))
    #expect(code(delivered) == .contradiction, "it has no delivery key")
  }

  @Test func `Its apps read what they may elsewhere, and every record that they sign is refused`() throws {
    let membership = vault.membership
    let author = try #require(membership.authors[principal.id])
    #expect(membership.isReadOnly(author))
    for group in [vault.shared, vault.drafts] {
      #expect(membership.access(of: author, to: group) == .readOnly)
      #expect(!membership.mayPermit(principal.id, toWrite: group, generation: 1))
    }
    // The same app writes the same groups on another machine.
    let elsewhere = try #require(membership.authors[vault.writers[0].id])
    #expect(!membership.isReadOnly(elsewhere) && membership.access(of: elsewhere, to: vault.shared) == .readWrite)
    #expect(membership.access(of: author, to: vault.log.group(RevocableVault.reader)) == nil)
    #expect(membership.validity(of: try record()) == .notEntitled)
    #expect(!membership.permits(try record()))
    // A principal that is added later may not write either.
    var later = vault
    let app = try #require(membership.apps.values.first { $0.statement.bundleID == RevocableVault.writer })
    let second = try later.addPrincipal(of: app.registration, on: machineID)
    let written = try later.log.record(
      keys: #require(later.groupKeys[later.shared]), author: second.id, signer: second.keys.signing)
    #expect(later.membership.validity(of: written) == .notEntitled)
    #expect(membership.offeredApps(on: machineID) == [app.id])
  }

  @Test func `No record list makes a record of a read-only machine valid`() throws {
    var after = vault
    // Whoever revokes it may be made to list what it has signed: a segment can name a log that does not exist.
    try after.apply(try after.batch(machines: [machineID], records: [record().hash]), by: .root)
    #expect(after.membership.validity(of: try record()) == .notEntitled)
    #expect(after.membership.devices[machineID]?.revocation != nil)
    let cut = RevocationStatement.CutAuthor(
      author: principal.id, groups: [RevocationStatement.LostGroup(group: vault.shared, keepsReading: true)])
    var narrowed = vault
    try narrowed.apply(try narrowed.batch(authors: [cut], records: [record().hash]), by: .root)
    #expect(narrowed.membership.validity(of: try record()) == .notEntitled)
    let author = try #require(narrowed.membership.authors[principal.id])
    #expect(narrowed.membership.access(of: author, to: vault.shared) == .readOnly)
  }

  @Test func `No segment of it counts, before its revocation or after`() throws {
    let position = StreamPosition(stream: .random(), number: 0, hash: SegmentHash(.zero))
    #expect(vault.membership.devices[machineID]?.allows(position) == false)
    #expect(vault.membership.devices[vault.memberID]?.allows(position) == true)
    var after = vault
    let batch = try after.batch(machines: [machineID])
    let ends = [RevocationStatement.Machine(device: machineID, ends: [position])]
    after.log.membership.add(batch.lists)
    try after.log.append(.revocation(batch.revocation.with(machines: ends)), by: .root)
    for statement in batch.following { try after.log.append(statement, by: .root) }
    #expect(after.membership.devices[machineID]?.allows(position) == false)
  }

  @Test func `Keys are sealed to it in entries up to its expiry, and in no later one`() throws {
    let name = try #require(vault.membership.groups[vault.shared]).name
    func recipients(_ time: Int64) -> [AuthorID] {
      vault.membership.recipients(of: name, at: Timestamp(microseconds: time))
    }
    #expect(recipients(Self.expiry).contains(principal.id))
    #expect(!recipients(Self.expiry + 1).contains(principal.id))
    #expect(recipients(Self.expiry).count == recipients(Self.expiry + 1).count + 1)

    // A renewal has a box for exactly those who are recipients at its time.
    let next = try #require(vault.groupKeys[vault.shared]).later(generation: 2)
    func renewal(_ recipients: [AuthorID]) throws -> Statement {
      let earlier = try #require(vault.groupKeys[vault.shared])
      return .groupKeyRenewal(
        GroupKeyRenewalStatement(
          group: vault.shared, generation: 2, commitment: next.commitment, wrappedGeneration: 1,
          wrapped: next.wrap(earlier),
          boxes: recipients.map {
            AddressedBox(recipient: $0, box: [UInt8](repeating: 1, count: AddressedBox.boxByteCount))
          }))
    }
    #expect(code(try renewal(recipients(Self.expiry)), time: Self.expiry) == nil)
    #expect(code(try renewal(recipients(Self.expiry)), time: Self.expiry + 1) == .notAuthorised)
    #expect(code(try renewal(recipients(Self.expiry + 1)), time: Self.expiry + 1) == nil)
    #expect(code(try renewal(recipients(Self.expiry + 1)), time: Self.expiry) == .contradiction)

    // So do grants, and the first key of a group.
    let reader = try #require(vault.membership.apps.values.first { $0.statement.bundleID == RevocableVault.reader })
    var more = vault
    let late = try more.addPrincipal(of: reader.registration, on: machineID)
    let grant = try Self.grant(of: RevocableVault.groupNames[0], to: late, in: more)
    #expect(code(grant, in: more, time: Self.expiry) == nil)
    #expect(code(grant, in: more, time: Self.expiry + 1) == .notAuthorised)

    // The order of the log decides nothing: the times of its entries need not ascend.
    try more.log.append(Self.enrolment(of: .random()), time: Self.expiry + 5)
    #expect(code(grant, in: more, time: Self.expiry) == nil)
  }

  @Test func `A revocation removes it with all of its apps, also after its expiry`() throws {
    let statement = RevocationStatement(
      machines: [.init(device: machineID, ends: [])], apps: [], authors: [], recordCount: 0, recordLists: [],
      followingEntries: 9, keys: [])
    #expect(code(.revocation(statement)) == .contradiction, "it leaves its app")
    var after = vault
    // An admin may: it takes no vault key, because it is no admin's machine.
    try after.apply(try after.batch(machines: [machineID]), by: after.secondSigner)
    let author = try #require(after.membership.authors[principal.id])
    #expect(author.cut != nil && after.membership.access(of: author, to: vault.shared) == nil)
    #expect(after.membership.groups[vault.shared]?.generations.last?.boxes[principal.id] == nil)
    #expect(after.membership.groups[vault.shared]?.generations.count == 2)
    let app = try #require(vault.membership.apps.values.first).registration
    let again = Statement.principal(
      PrincipalStatement(app: app, device: machineID, keys: PartyKeys.random().publicKeys))
    #expect(code(again, in: after) == .contradiction)
  }
}
