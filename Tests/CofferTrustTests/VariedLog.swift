import CofferCrypto
import CofferFormat
import CofferKeys
import CofferTrust
import Testing

/// A log with every kind of statement, and the lists of records that its revocations name.
struct VariedLog {
  private(set) var vault: RevocableVault
  private(set) var recordLists: [RecordList] = []

  var genesis: Genesis { vault.membership.genesis }
  var entries: [LogEntry] { vault.log.entries }

  init() throws {
    vault = try RevocableVault()
    try addMachines()
    try addApps()
    try removeRights()
    try addRequirements()
    try addItems()
    try rejectBranch()
    try handOver()
    try vault.log.append(vault.log.unknownEntry(isCritical: false))
    try vault.log.append(vault.log.unknownEntry(isCritical: true))
    try vault.log.append(
      .device(
        DeviceStatement(
          keys: PartyKeys.random().publicKeys, adminKeys: nil, deliveryKey: AgreementKey.random().publicKey,
          name: "last")))
  }

  private func item(_ number: UInt8) -> ItemAddress {
    ItemAddress(group: vault.shared, item: ItemID(Bytes16(truncating: Hash.digest([number], domain: .item))))
  }

  /// A member with a delivery key, an app on it whose keys were delivered, its appointment, and a read-only machine.
  private mutating func addMachines() throws {
    let (machine, delivery, principal, admin) = (
      PartyKeys.random(), AgreementKey.random(), PartyKeys.random(), PartyKeys.random()
    )
    let id = DeviceID(vault: vault.log.vault, keys: machine.publicKeys)
    let writer = try #require(vault.membership.apps.values.first { $0.statement.bundleID == RevocableVault.writer })
    try vault.log.append(
      .device(
        DeviceStatement(keys: machine.publicKeys, adminKeys: nil, deliveryKey: delivery.publicKey, name: "Büro")))
    try vault.log.append(
      .principal(
        PrincipalStatement(
          app: writer.registration, device: id, keys: principal.publicKeys,
          delivery: DeliveredKeys(sealing: principal, to: delivery.publicKey))))
    try vault.log.append(
      .appointment(
        AppointmentStatement(
          device: id, adminKeys: admin.publicKeys, delivery: DeliveredKeys(sealing: admin, to: delivery.publicKey))),
      by: .root)
    try vault.log.append(
      .invitedDevice(
        InvitedDeviceStatement(
          keys: PartyKeys.random().publicKeys, deliveryKey: AgreementKey.random().publicKey,
          invitation: InvitationID(Bytes16(truncating: Hash.digest([1], domain: .item))), name: "invited")))
    try vault.log.append(.deviceName(DeviceNameStatement(device: id, name: "Küche")))
    for (name, expiry) in [("ci", Int64(1_000)), ("nightly", 2)] {
      let reader = PartyKeys.random()
      try vault.log.append(
        .readOnlyDevice(
          ReadOnlyDeviceStatement(
            keys: reader.publicKeys, expires: Timestamp(microseconds: expiry), name: name)))
      let app = try vault.addPrincipal(
        of: writer.registration, on: DeviceID(vault: vault.log.vault, keys: reader.publicKeys))
      let keys = try #require(vault.groupKeys[vault.drafts])
      let box = try AddressedBox(recipient: app.id, box: app.keys.publicKeys.box.seal(keys.secret))
      try vault.log.append(.grant(GrantStatement(group: keys.group, generation: 1, boxes: [box])))
    }
  }

  /// Apps, one of which is registered again, and a further group.
  private mutating func addApps() throws {
    _ = try vault.log.register("com.example.old", groups: ["com.example.old", "com.example.shared"])
    try vault.log.append(
      vault.log.app(
        "com.example.old", groups: ["com.example.old", "com.example.shared"], readOnly: ["com.example.drafts"]))
    _ = try vault.log.register("com.example.gone", groups: ["com.example.gone"])
    let keys = GroupKeys.random(group: vault.log.group("com.example.old"))
    try vault.log.append(vault.log.groupKey("com.example.old", keys: keys, to: vault.recipients("com.example.old")))
    vault.groupKeys[keys.group] = keys
  }

  private mutating func apply(_ batch: RevocableVault.Batch, by signer: LogEntry.Signer = .root) throws {
    recordLists += batch.lists
    try vault.apply(batch, by: signer)
  }

  /// Revocations of groups, of a machine, of an app and of an admin, and a registration with fewer groups.
  private mutating func removeRights() throws {
    let records = [1, 2, 3].map { RecordHash(Hash.digest([$0], domain: .record)) }
    for keepsReading in [true, false] {
      let lost = RevocationStatement.LostGroup(group: vault.shared, keepsReading: keepsReading)
      let cuts = vault.writers.prefix(2).map { RevocationStatement.CutAuthor(author: $0.id, groups: [lost]) }
      try apply(try vault.batch(authors: cuts, records: keepsReading ? Array(records.prefix(2)) : []))
    }
    var batch = try vault.batch(machines: [vault.memberID], records: [records[2]])
    batch.revocation = batch.revocation.with(
      machines: [
        .init(
          device: vault.memberID,
          ends: [StreamPosition(stream: .random(), number: 7, hash: SegmentHash(.zero))])
      ])
    try apply(batch, by: vault.log.adminSigner)
    let gone = try #require(vault.membership.apps.values.first { $0.statement.bundleID == "com.example.gone" })
    try apply(try vault.batch(apps: [gone.registration]))
    try apply(try vault.batch(machines: [vault.secondID]))
    let kept = vault.readerGroups.filter { $0.source == .applicationIdentifier }
    let lost = RevocationStatement.LostGroup(group: vault.shared, keepsReading: false)
    let reader = vault.readers[0].id
    try apply(try vault.batch(authors: [.init(author: reader, groups: [lost])]))
    try vault.log.append(vault.log.app(RevocableVault.reader, stating: kept))
  }

  private mutating func addRequirements() throws {
    for (group, requirement) in [(vault.shared, GroupRequirement.strong), (vault.drafts, .lease)] {
      try vault.log.append(.groupRequirement(GroupRequirementStatement(group: group, requirement: requirement)))
    }
  }

  private mutating func addItems() throws {
    let revocation = try #require(vault.membership.revocations.first).position.hash
    for (items, reason) in [([UInt8(1), 2, 3], "closed"), ([2], ""), ([3], "unused")] {
      let statement = DismissalStatement(of: items.map { item($0) }, after: revocation, reason: reason)
      try vault.log.append(.dismissal(statement), by: reason == "unused" ? .root : nil)
    }
    try vault.log.append(.dismissal(DismissalStatement(of: [item(9)], after: genesis.hash, reason: "")))
    for signer in [vault.log.adminSigner, .root] {
      let entries = [UInt8(1), 2].map { EntryHash(Hash.digest([$0], domain: .logEntry)) }
      try vault.log.append(.withdrawal(WithdrawalStatement(entries: entries)), by: signer)
    }
  }

  /// Root rejects a branch on which the key of a group was replaced.
  private mutating func rejectBranch() throws {
    let keys = try #require(vault.groupKeys[vault.drafts])
    let key = RecoveredKey(
      group: keys.group, generation: keys.generation, commitment: keys.commitment,
      wrappingGeneration: keys.generation, wrapped: keys.wrapRecovered(keys))
    let entry = EntryHash(Hash.digest([9], domain: .logEntry))
    try vault.log.append(.resolution(ResolutionStatement(rejecting: [entry], recovering: [key])), by: .root)
  }

  private mutating func handOver() throws { try vault.apply(vault.handover()) }
}
