import CofferCrypto
import CofferFormat
import CofferTrust
import Testing

/// Other names that admins give to machines.
@Suite struct DeviceNameTests {
  private var vault: RevocableVault

  init() throws { vault = try RevocableVault() }

  private func statement(_ device: DeviceID, _ name: String) -> Statement {
    .deviceName(DeviceNameStatement(device: device, name: name))
  }

  private func name(_ device: DeviceID, in membership: Membership? = nil) -> String? {
    (membership ?? vault.membership).devices[device]?.name
  }

  @Test mutating func `An admin and root rename any machine, and the last name applies`() throws {
    let before = vault.membership
    let entry = try vault.log.append(statement(vault.memberID, "kitchen"))
    #expect(entry.kind == 19 && !entry.isCritical, "earlier programs must go on writing")
    try vault.log.append(statement(vault.log.deviceID, "office"))
    #expect(name(vault.memberID) == "kitchen" && name(vault.log.deviceID) == "office")
    try vault.log.append(statement(vault.memberID, "cellar"), by: .root)
    try vault.log.append(statement(vault.secondID, "member"), by: vault.secondSigner, key: vault.secondAdmin.signing)
    #expect(name(vault.memberID) == "cellar" && name(vault.secondID) == "member")
    // The name is all that changes.
    for (id, device) in before.devices {
      let now = try #require(vault.membership.devices[id])
      #expect(now.keys == device.keys && now.role == device.role && now.enrolled == device.enrolled)
      #expect(now.signer == device.signer && now.revocation == nil)
    }
    #expect(vault.membership.authors == before.authors && vault.membership.groups == before.groups)
    #expect(vault.membership.firstUnknownCritical == nil)
  }

  @Test mutating func `A headless credential is renamed`() throws {
    let machine = PartyKeys.random()
    try vault.log.append(
      .device(
        DeviceStatement(
          keys: machine.publicKeys, role: .readOnly(expires: Timestamp(microseconds: 1_000)), name: "ci")))
    let id = DeviceID(vault: vault.log.vault, keys: machine.publicKeys)
    try vault.log.append(statement(id, "nightly"))
    #expect(name(id) == "nightly")
    // It signs nothing, not even its own name.
    let own = vault.log.entry(
      statement(id, "mine"), by: .admin(AuthorID(vault: vault.log.vault, keys: machine.publicKeys)),
      key: machine.signing)
    #expect(refusal(of: own, by: vault.membership) == .notAuthorised)
  }

  @Test mutating func `Nobody else renames a machine: no app, no member and no admin who was removed`() throws {
    let renaming = statement(vault.memberID, "kitchen")
    let writer = vault.writers[2]
    let member = AuthorID(vault: vault.log.vault, keys: vault.memberDevice.publicKeys)
    for (id, key) in [(writer.id, writer.keys.signing), (member, vault.memberDevice.signing)] {
      let entry = vault.log.entry(renaming, by: .admin(id), key: key)
      #expect(refusal(of: entry, by: vault.membership) == .notAuthorised)
    }
    let forged = vault.log.entry(renaming, key: writer.keys.signing)
    #expect(refusal(of: forged, by: vault.membership) == .notAuthorised)
    try vault.apply(vault.batch(machines: [vault.secondID]))
    for device in [vault.memberID, vault.secondID] {
      let late = vault.log.entry(statement(device, "late"), by: vault.secondSigner, key: vault.secondAdmin.signing)
      #expect(refusal(of: late, by: vault.membership) == .notAuthorised)
    }
  }

  @Test mutating func `The name of a machine that was removed, or of an unknown one, has no effect`() throws {
    try vault.apply(vault.batch(machines: [vault.memberID]))
    let before = vault.membership.devices
    let unknown = DeviceID(vault: vault.log.vault, keys: PartyKeys.random().publicKeys)
    for signer in [vault.log.adminSigner, .root] {
      for device in [vault.memberID, unknown] { try vault.log.append(statement(device, "kitchen"), by: signer) }
    }
    #expect(vault.membership.devices == before)
  }

  @Test mutating func `No machine gets the name of another one until that is renamed or removed`() throws {
    try vault.log.append(statement(vault.memberID, "second"))
    #expect(name(vault.memberID) == "member")
    try vault.log.append(statement(vault.memberID, "member"))
    try vault.log.append(statement(vault.secondID, "third"))
    try vault.log.append(statement(vault.memberID, "second"))
    #expect(name(vault.memberID) == "second" && name(vault.secondID) == "third")
    try vault.apply(vault.batch(machines: [vault.secondID]))
    try vault.log.append(statement(vault.memberID, "third"))
    #expect(name(vault.memberID) == "third" && name(vault.secondID) == "third")
  }

  @Test mutating func `A name that no new machine may have, or another body, is an entry without effect`() throws {
    let before = vault.membership
    let good = vault.log.entry(statement(vault.memberID, "kitchen")).body
    var bodies = [Array(good.dropLast()), good + [0], []]
    for name in ["", "a\nb", "a\u{2028}b", "a\u{202e}b", String(repeating: "x", count: 129)] {
      bodies.append(vault.log.entry(statement(vault.memberID, name)).body)
    }
    for body in bodies {
      try vault.log.membership.apply(vault.log.signedEntry(kind: 19, isCritical: false, body: body))
    }
    #expect(vault.membership.devices == before.devices && vault.membership.firstUnknownCritical == nil)
    #expect(vault.membership.head.sequence == before.head.sequence + UInt64(bodies.count))
    try vault.log.append(statement(vault.memberID, String(repeating: "x", count: 128)))
    #expect(name(vault.memberID)?.utf8.count == 128)
  }

  @Test mutating func `What a branch of a fork renames keeps its name until root selects the branch`() throws {
    var other = vault.log
    try vault.log.append(statement(vault.memberID, "kitchen"))
    let competing = try other.append(statement(vault.secondID, "cellar"))
    let branches = LogBranches(chain: vault.membership, entries: vault.log.entries, competingEntries: [competing])
    #expect(branches.fork != nil)
    #expect(name(vault.memberID, in: branches.effective) == "member")
    #expect(name(vault.secondID, in: branches.effective) == "second")
    #expect(name(vault.memberID, in: branches.chain) == "kitchen")
  }
}
