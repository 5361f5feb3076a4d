import CofferAdministration
import CofferCrypto
import CofferFormat
import CofferStore
import CofferTrust
import CofferVault
import Testing

@testable import Coffer

/// Machines that try not to be removed: with more of something than one entry of the log has space for.
@Suite struct RemovalLimitTests {
  private let fixture: TemporaryVault
  private let owner = PassphraseSource.unavailable

  init() throws {
    fixture = try TemporaryVault()
    try fixture.app("com.example.one")
  }

  private func draft(_ steps: (AdminSession, inout LogDraft) throws -> Void) throws {
    let session = try AdminSession.open(fixture.local, allowingLogFork: false, passphrase: owner)
    _ = try session.change(allowingLogFork: false) { try steps(session, &$0) }
  }

  /// Enrols machines, and returns their keys.
  private func enrol(_ count: Int) throws -> [(id: DeviceID, keys: PartyKeys)] {
    let keys = (0..<count).map { _ in PartyKeys.random() }
    try draft { session, draft in
      for (index, keys) in keys.enumerated() {
        let statement = DeviceStatement(
          keys: keys.publicKeys, role: .member(delivery: AgreementKey.random().publicKey), name: "machine \(index)")
        try draft.append(.device(statement), by: session.signer, key: session.keys.signing)
      }
    }
    let vault = try fixture.local.membership().vault
    return keys.map { (DeviceID(vault: vault, keys: $0.publicKeys), $0) }
  }

  /// Begins streams without records.
  private func begin(streams count: Int, of machine: DeviceID) throws {
    try fixture.local.store.write { writer in
      for _ in 0..<count {
        let position = StreamPosition(stream: .random(), number: 0, hash: SegmentHash(.zero))
        let segment = StoredSegment(position: position, device: machine, envelope: [], published: [])
        try writer.insertSegment(segment, isOwn: false)
      }
    }
  }

  private func remove(_ machines: [DeviceID], authorsPerEntry: Int = Limits.authorsPerRevocation) throws -> Membership {
    let removal = Removal(of: .machines(machines), from: fixture.local, authorsPerEntry: authorsPerEntry)
    #expect(try removal.run(as: .admin(owner)) != nil)
    // As the next program reads it.
    let membership = try LocalVault.open(fixture.local.folder).membership()
    for machine in machines {
      #expect(membership.devices[machine]?.revocation != nil && membership.holders(on: machine).isEmpty)
    }
    return membership
  }

  @Test func `A machine with more streams than an entry names is removed, and those with kept records are named`()
    throws
  {
    let machine = try enrol(1)[0]
    // The last one in the order of streams.
    let stream = StreamID(try #require(Bytes16([UInt8](repeating: 0xFF, count: 16))))
    let record = try fixture.forge(
      "value", service: "s", account: "a", in: "com.example.one", by: "com.example.one")
    let membership = try fixture.local.membership()
    let segment = Segment(
      vault: membership.vault, device: machine.id, stream: stream, after: nil, log: membership.head, seen: [],
      group: record.header.group, records: [record.bytes], key: machine.keys.signing)
    let key = try #require(try fixture.local.deviceFile().transportKeys.last)
    let envelope = Envelope(sealing: segment.bytes, as: .segment, key: key.key, generation: key.generation)
    try fixture.local.store.write { writer in
      try writer.insertSegment(
        StoredSegment(position: segment.position, device: machine.id, envelope: envelope.bytes, published: []),
        isOwn: false)
    }
    try begin(streams: Limits.seenStreams, of: machine.id)
    let device = try remove([machine.id]).devices[machine.id]
    #expect(device?.lastSegments.count == Limits.seenStreams && device?.lastSegments[stream] == segment.position)
  }

  @Test func `Five machines with 4,096 streams each are removed by one entry that every program can read`() throws {
    let machines = try enrol(5).map(\.id)
    for machine in machines { try begin(streams: Limits.seenStreams, of: machine) }
    let membership = try remove(machines)
    #expect(membership.revocations.count == 1)
    for machine in machines { #expect(membership.devices[machine]?.lastSegments.count == Limits.namedStreams / 5) }
  }

  @Test func `More authors than an entry cuts off are removed by several, and every key is replaced`() throws {
    let machine = try enrol(1)[0].id
    try draft { session, draft in
      let app = try #require(draft.membership.apps.values.first)
      for _ in 0..<5 {
        try draft.append(
          .principal(
            PrincipalStatement(app: app.registration, device: machine, keys: PartyKeys.random().publicKeys)),
          by: session.signer, key: session.keys.signing)
      }
      try draft.grantGroups(of: app.entitlements, by: .admin(session.id), with: session.keys)
    }
    let membership = try remove([machine], authorsPerEntry: 2)
    #expect(membership.revocations.map(\.statement.authors.count) == [2, 2, 1])
    #expect(membership.revocations.map(\.statement.machines.count) == [0, 0, 1])
    #expect(membership.groups.values.allSatisfy { $0.generations.count == 4 })
    let vault = try Vault.open(.bytes(TemporaryVault.plist("com.example.one")), at: fixture.location)
    try vault.set("value", for: GenericPassword(service: "s", account: "a"))
    #expect(try vault.string(for: GenericPassword(service: "s", account: "a")) == "value")
  }

  @Test func `An entry that no program could read is an error, and nothing is stored`() throws {
    let machines = try enrol(5).map(\.id)
    let head = try fixture.local.membership().head
    let ends = (0..<Limits.seenStreams).map { _ in
      StreamPosition(stream: .random(), number: 0, hash: SegmentHash(.zero))
    }
    let error = failure {
      try draft { session, draft in
        var rights = RevokedRights(authors: [])
        rights.machines = machines.map { RevocationStatement.Machine(device: $0, ends: ends) }
        try draft.revoke(rights, keeping: [], by: session.signer, keys: session.keys)
      }
    }
    #expect(error?.code == .invalidArgument && error?.message.contains("1 MiB") == true, "\(error as Any)")
    #expect(error?.recoverySuggestion?.contains("several steps") == true)
    #expect(try LocalVault.open(fixture.local.folder).membership().head == head)
  }
}
