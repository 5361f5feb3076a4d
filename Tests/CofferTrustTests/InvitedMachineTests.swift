import CofferCrypto
import CofferFormat
import CofferTrust
import Testing

/// Machines that were enrolled by invitation.
@Suite struct InvitedMachineTests {
  private var vault: RevocableVault
  private let machine = PartyKeys.random()
  private let delivery = AgreementKey.random()
  private let code = InvitationCode.random(for: EntryHash(.zero))

  init() throws {
    vault = try RevocableVault()
    try vault.log.append(enrolment())
  }

  private var machineID: DeviceID { DeviceID(vault: vault.log.vault, keys: machine.publicKeys) }

  private func enrolment(of machine: PartyKeys? = nil, code: InvitationCode? = nil, name: String = "new") -> Statement {
    .device(
      DeviceStatement(
        keys: (machine ?? self.machine).publicKeys,
        role: .invited((code ?? self.code).key.id, delivery: delivery.publicKey), name: name))
  }

  private func code(
    _ statement: Statement, by signer: LogEntry.Signer? = nil, key: SigningKey? = nil, in vault: RevocableVault? = nil
  ) -> TrustError.Code? {
    let vault = vault ?? self.vault
    return refusal(of: vault.log.entry(statement, by: signer, key: key), by: vault.membership)
  }

  @Test func `An admin or root enrols a member by invitation, and nobody else does`() throws {
    let device = try #require(vault.membership.devices[machineID])
    #expect(device.role == .member && device.admin == nil && device.deliveryKey == delivery.publicKey)
    #expect(device.name == "new" && vault.membership.invitations == [code.key.id: machineID])
    let other = enrolment(of: .random(), code: .random(for: EntryHash(.zero)))
    #expect(code(other) == nil && code(other, by: .root) == nil)
    for keys in [machine, vault.writers[2].keys] {
      let id = AuthorID(vault: vault.log.vault, keys: keys.publicKeys)
      #expect(code(other, by: .admin(id), key: keys.signing) == .notAuthorised)
    }
  }

  @Test func `A second use of an invitation is a contradiction, also after its machine was removed`() throws {
    for signer in [nil, LogEntry.Signer.root] {
      #expect(code(enrolment(of: .random()), by: signer) == .contradiction)
      #expect(code(enrolment(), by: signer) == .contradiction)
    }
    var later = vault
    try later.apply(try later.batch(machines: [machineID]))
    #expect(later.membership.devices[machineID]?.revocation != nil)
    #expect(code(enrolment(of: .random()), by: .root, in: later) == .contradiction)
    #expect(code(enrolment(of: .random(), code: .random(for: EntryHash(.zero))), in: later) == nil)
  }

  @Test func `No machine is enrolled by invitation that was enrolled before, whatever it was`() throws {
    let keys = PartyKeys.random()
    var later = vault
    try later.log.append(
      .device(
        DeviceStatement(
          keys: keys.publicKeys, role: .readOnly(expires: Timestamp(microseconds: 1_000)), name: "ci")))
    for known in [keys, machine, vault.memberDevice, vault.secondDevice] {
      #expect(code(enrolment(of: known, code: .random(for: EntryHash(.zero))), by: .root, in: later) == .contradiction)
    }
    // And none that was enrolled by invitation is enrolled in another way.
    let again = Statement.device(
      DeviceStatement(
        keys: machine.publicKeys, role: .member(delivery: AgreementKey.random().publicKey), name: "new"))
    #expect(code(again, by: .root) == .contradiction)
  }

  @Test func `A machine that was enrolled by invitation becomes an admin by root's appointment only`() throws {
    let keys = PartyKeys.random()
    let appointment = Statement.appointment(
      AppointmentStatement(
        device: machineID, adminKeys: keys.publicKeys,
        delivery: try DeliveredKeys(sealing: keys, to: delivery.publicKey)))
    #expect(code(appointment) == .notAuthorised)
    try #require(code(appointment, by: .root) == nil)
    var later = vault
    try later.log.append(appointment, by: .root)
    #expect(later.membership.devices[machineID]?.admin != nil)
  }
}
