import CofferCrypto
import CofferFormat
import Testing

@testable import CofferTrust

/// Machines as admins and members: who makes them what.
@Suite struct RoleTests {
  private var vault: RevocableVault
  private let machine = PartyKeys.random()
  private let delivery = AgreementKey.random()

  init() throws {
    vault = try RevocableVault()
    try vault.log.append(member())
  }

  private var machineID: DeviceID { DeviceID(vault: vault.log.vault, keys: machine.publicKeys) }

  private func member(_ name: String = "ci") -> Statement {
    .device(
      DeviceStatement(keys: machine.publicKeys, role: .member(delivery: delivery.publicKey), name: name))
  }

  private func appointment(
    of device: DeviceID? = nil, keys: PartyKeys = .random(), key: BoxKey? = nil
  ) throws -> Statement {
    .appointment(
      AppointmentStatement(
        device: device ?? machineID, adminKeys: keys.publicKeys,
        delivery: try DeliveredKeys(sealing: keys, to: key ?? delivery.publicKey)))
  }

  private func code(
    _ statement: Statement, by signer: LogEntry.Signer? = nil, key: SigningKey? = nil, in vault: RevocableVault? = nil
  ) -> TrustError.Code? {
    let vault = vault ?? self.vault
    return refusal(of: vault.log.entry(statement, by: signer, key: key), by: vault.membership)
  }

  /// Root removes the admin of a machine.
  private func removed(_ admin: AuthorID, in vault: RevocableVault) throws -> RevocableVault {
    var vault = vault
    try vault.apply(try vault.batch(authors: [.init(author: admin, groups: nil)]))
    return vault
  }

  @Test func `An admin enrols members; only root enrols an admin`() throws {
    let device = try #require(vault.membership.devices[machineID])
    #expect(device.role == .member && device.admin == nil && device.deliveryKey == delivery.publicKey)
    let (keys, admin) = (PartyKeys.random().publicKeys, PartyKeys.random())
    let enrolment = Statement.device(
      DeviceStatement(keys: keys, role: .admin(admin.publicKeys, delivery: delivery.publicKey), name: "new"))
    #expect(code(enrolment) == .notAuthorised)
    #expect(code(enrolment, by: .root) == nil)
    // Neither a member's own keys nor those of an app change the membership.
    for keys in [machine, vault.writers[2].keys] {
      let id = AuthorID(vault: vault.log.vault, keys: keys.publicKeys)
      #expect(code(member(), by: .admin(id), key: keys.signing) == .notAuthorised)
    }
    #expect(code(member("again")) == .contradiction)
  }

  @Test func `The membership knows which machines an admin has enrolled, and which apps' keys it knows elsewhere`()
    throws
  {
    let first: Set = [vault.adminID]
    let second: Set = [vault.secondAdminID]
    #expect(vault.membership.allAdmins(on: vault.secondID) == second)
    #expect(vault.membership.members(enrolledBy: first).map(\.name).sorted() == ["ci", "member"])
    #expect(vault.membership.members(enrolledBy: second).isEmpty)
    // Not those on its own machine, and not those that another one has made.
    let elsewhere = [vault.writers, vault.readers].flatMap { $0[1...].map(\.id) }
    #expect(vault.membership.holders(madeBy: first) == Set(elsewhere))
    #expect(vault.membership.holders(madeBy: second).isEmpty)
    var after = vault
    let app = try #require(after.membership.apps.values.first).registration
    let keys = PartyKeys.random()
    try after.log.append(
      .principal(
        PrincipalStatement(
          app: app, device: machineID, keys: keys.publicKeys,
          delivery: DeliveredKeys(sealing: keys, to: delivery.publicKey))),
      by: after.secondSigner, key: after.secondAdmin.signing)
    let id = AuthorID(vault: after.log.vault, keys: keys.publicKeys)
    #expect(after.membership.holders(madeBy: second) == [id])
    #expect(after.membership.holders(madeBy: first) == Set(elsewhere))
    try after.log.append(
      .principal(PrincipalStatement(app: app, device: machineID, keys: PartyKeys.random().publicKeys)),
      by: .root)
    #expect(after.membership.holders(madeBy: second) == [id])
    // Whoever was cut already is not cut again, also if its maker is no admin any more.
    let gone = try removed(after.secondAdminID, in: after)
    #expect(gone.membership.allAdmins(on: gone.secondID) == second)
    #expect(gone.membership.holders(madeBy: second) == [id])
    after = gone
    try after.apply(try after.batch(authors: [.init(author: id, groups: nil)]))
    #expect(after.membership.holders(madeBy: second).isEmpty)
  }

  @Test func `Root makes a member an admin, and nobody else does`() throws {
    let keys = PartyKeys.random()
    let statement = try appointment(keys: keys)
    #expect(code(statement) == .notAuthorised)
    #expect(
      code(statement, by: .admin(AuthorID(vault: vault.log.vault, keys: keys.publicKeys)), key: keys.signing)
        == .notAuthorised)
    let refused = [
      try appointment(of: vault.secondID),
      try appointment(of: DeviceID(vault: vault.log.vault, keys: keys.publicKeys)),
      try appointment(keys: vault.secondAdmin), try appointment(keys: vault.writers[0].keys),
    ]
    for statement in refused { #expect(code(statement, by: .root) == .contradiction) }
    var after = vault
    try after.log.append(statement, by: .root)
    let admin = AuthorID(vault: after.log.vault, keys: keys.publicKeys)
    #expect(after.membership.devices[machineID]?.role == .admin(admin))
    #expect(code(try appointment(), by: .root, in: after) == .contradiction, "it is an admin")
    // It signs, reads every group, and what it reads is what the machine's delivery key opens.
    #expect(code(member("x"), by: .admin(admin), key: keys.signing, in: after) == .contradiction)
    let other = Statement.device(
      DeviceStatement(
        keys: keys.publicKeys, role: .member(delivery: AgreementKey.random().publicKey), name: "other"))
    #expect(code(other, by: .admin(admin), key: keys.signing, in: after) == nil)
    let group = try #require(after.membership.groups[after.shared])
    #expect(after.membership.recipients(of: group.name, at: Timestamp(microseconds: 2)).contains(admin))
    let author = try #require(after.membership.authors[admin])
    #expect(try author.delivery?.open(with: delivery, expecting: author.keys).publicKeys == keys.publicKeys)
    var revoked = vault
    try revoked.apply(try revoked.batch(machines: [machineID]))
    #expect(code(statement, by: .root, in: revoked) == .contradiction)
  }

  @Test func `A removed admin's machine stays as a member, with its apps`() throws {
    let after = try removed(vault.secondAdminID, in: vault)
    let device = try #require(after.membership.devices[vault.secondID])
    #expect(device.role == .member && device.revocation == nil && after.membership.members.contains(device))
    #expect(
      !after.membership.isMember(vault.secondSigner) && after.membership.adminMachines.map(\.id) == [vault.log.deviceID]
    )
    let record = try after.record(by: vault.writers[1].id, in: vault.shared)
    #expect(after.membership.validity(of: record) == .valid, "its app's")
    #expect(after.membership.validity(of: try after.record(by: vault.secondAdminID, in: vault.shared)) == .notEntitled)
    // Every key that the admin could read is replaced, and the transport key, which its machine needs, is not.
    #expect(
      after.membership.groups.values.allSatisfy {
        $0.generations.count == 2 && $0.generations[1].boxes[vault.secondAdminID] == nil
      })
    #expect(after.membership.transportCommitments.count == 1)
    let stream = StreamPosition(stream: StreamID(.zero), number: 7, hash: SegmentHash(.zero))
    #expect(device.allows(stream))
  }

  @Test func `A machine becomes an admin again under new keys only`() throws {
    let keys = PartyKeys.random()
    var vault = vault
    try vault.log.append(try appointment(keys: keys), by: .root)
    let first = AuthorID(vault: vault.log.vault, keys: keys.publicKeys)
    vault = try removed(first, in: vault)
    #expect(vault.membership.devices[machineID]?.role == .member)
    #expect(code(try appointment(keys: keys), by: .root, in: vault) == .contradiction)
    let again = PartyKeys.random()
    try vault.log.append(try appointment(keys: again), by: .root)
    #expect(vault.membership.devices[machineID]?.admin == AuthorID(vault: vault.log.vault, keys: again.publicKeys))
    #expect(
      code(vault.log.app("com.example.new", stating: []), by: .admin(first), key: keys.signing, in: vault)
        == .notAuthorised)
    // Its first keys' removal does not end its second ones, and a machine's revocation ends both.
    try vault.apply(try vault.batch(machines: [machineID]))
    #expect(vault.membership.devices[machineID]?.admin == nil && vault.membership.holders(on: machineID).isEmpty)
  }

  @Test func `An app's keys are delivered to machines that have a delivery key`() throws {
    let app = try #require(vault.membership.apps.values.first).registration
    let keys = PartyKeys.random()
    func principal(on device: DeviceID) throws -> Statement {
      .principal(
        PrincipalStatement(
          app: app, device: device, keys: keys.publicKeys,
          delivery: try DeliveredKeys(sealing: keys, to: delivery.publicKey)))
    }
    // The genesis enrols the first machine without a key, and nothing was stated of it yet.
    #expect(code(try principal(on: vault.log.deviceID)) == .contradiction)
    #expect(code(try principal(on: machineID)) == nil)
    #expect(code(try principal(on: machineID), by: .root) == nil)
    var after = vault
    try after.log.append(try principal(on: machineID))
    let author = try #require(after.membership.authors[AuthorID(vault: after.log.vault, keys: keys.publicKeys)])
    #expect(try author.delivery?.open(with: delivery, expecting: author.keys).publicKeys == keys.publicKeys)
    #expect(throws: CryptoError.authenticationFailed) {
      try author.delivery?.open(with: .random(), expecting: author.keys)
    }
    #expect(throws: CryptoError.authenticationFailed) {
      try author.delivery?.open(with: delivery, expecting: machine.publicKeys)
    }
    #expect(code(try principal(on: machineID), in: after) == .contradiction, "its keys are in use")
  }

  // MARK: Forks

  /// The branches that a machine sees that has followed one of them.
  private func seen(by own: RevocableVault, _ other: RevocableVault) -> LogBranches {
    let shared = vault.log.entries.count
    return LogBranches(
      chain: own.membership, entries: own.log.entries, competingEntries: Array(other.log.entries.dropFirst(shared)))
  }

  @Test func `An admin that was removed and appointed again has nothing of its fork from before`() throws {
    let keys = PartyKeys.random()
    var shared = self
    try shared.vault.log.append(try appointment(keys: keys), by: .root)
    let first = AuthorID(vault: vault.log.vault, keys: keys.publicKeys)
    var own = try removed(first, in: shared.vault)
    try own.log.append(try appointment(), by: .root)
    var attack = shared.vault
    try attack.log.append(attack.log.app("com.example.attack"), by: .admin(first), key: keys.signing)
    let batch = try attack.batch(authors: [.init(author: vault.writers[0].id, groups: nil)])
    for statement in [.revocation(batch.revocation)] + batch.following {
      try attack.log.append(statement, by: .admin(first), key: keys.signing)
    }
    let branches = shared.seen(by: own, attack)
    #expect(branches.fork == nil && branches.effective.head == own.membership.head)
    #expect(
      branches.competingEntries(where: { !$0.counts }).count == branches.competingEntries.count
        && !branches.competingEntries.isEmpty)
    #expect(branches.effective.authors[vault.writers[0].id]?.cut == nil)
    // A machine that has followed the attack obeys the removal.
    let other = shared.seen(by: attack, own)
    #expect(other.fork?.own == .removed && !other.effective.isMember(.admin(first)))
    #expect(other.effective.devices[machineID]?.role == .member, "the appointment is a grant of a branch")
    #expect(other.effective.authors[vault.writers[0].id]?.cut == nil)
  }

  @Test func `While the log is forked, an appointment on either branch makes nobody an admin, and a removal holds`()
    throws
  {
    var appointed = vault
    try appointed.log.append(try appointment(), by: .root)
    let removal = try removed(vault.secondAdminID, in: vault)
    var states: [Membership] = []
    for (own, other) in [(appointed, removal), (removal, appointed)] {
      let branches = seen(by: own, other)
      #expect(branches.fork != nil)
      states.append(branches.effective)
    }
    for state in states {
      #expect(state.devices[machineID]?.role == .member && state.devices[vault.secondID]?.role == .member)
      #expect(state.adminMachines.map(\.id) == [vault.log.deviceID])
    }
    #expect(states[0].devices == states[1].devices && states[0].authors == states[1].authors)
  }

  @Test func `Two branches that remove each other's signers leave no admin, and root can still make one`() throws {
    let one = try removed(vault.secondAdminID, in: vault)
    let two = try removed(vault.adminID, in: vault)
    #expect(seen(by: one, two).effective.adminMachines.isEmpty)
    var none = try removed(vault.adminID, in: one)
    #expect(none.membership.adminMachines.isEmpty)
    try none.log.append(try appointment(), by: .root)
    #expect(none.membership.adminMachines.map(\.id) == [machineID])
  }
}
