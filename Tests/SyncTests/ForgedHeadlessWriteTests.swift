import CofferCrypto
import CofferFormat
import CofferKeys
import CofferStore
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// What somebody could sign who has got hold of a headless credential, and may push to the remote.
@Suite struct ForgedHeadlessWriteTests {
  private let suite: HeadlessMachine

  init() throws { suite = try HeadlessMachine() }

  private var membership: Membership { get throws { try suite.laptop.local.membership() } }

  /// Returns a record of the app's own group, which the app may write elsewhere, over the item that is there.
  private func forge() throws -> Record {
    let membership = try membership
    let app = try #require(suite.keys.apps.first)
    let author = AuthorID(vault: membership.vault, keys: app.keys.publicKeys)
    let group = try #require(
      membership.groups[GroupID(vault: membership.vault, name: "\(membership.team).\(HeadlessMachine.freeApp)")])
    let keys = try #require(try group.keys(for: author, opening: app.keys.agreement).last)
    let attributes = ItemAttributes([.service: .string("service"), .account: .string("token")])
    let header = RecordHeader(
      vault: membership.vault, group: keys.group, generation: keys.generation,
      item: keys.itemID(.genericPassword, isSynchronizable: false, attributes: attributes),
      itemClass: .genericPassword, content: .value, isDeviceLocal: false, bases: [],
      time: Timestamp(microseconds: Timestamp.now.microseconds + 60_000_000), author: author, tokens: [])
    return Record(
      header: header, attributes: attributes, value: Array("forged".utf8), keys: keys, signer: app.keys.signing)
  }

  /// Returns a segment that the credential's machine signs.
  private func segment(of records: [Record]) throws -> SealedSegment {
    let device = try suite.keys.device
    let membership = try membership
    let id = DeviceID(vault: membership.vault, keys: device.keys.publicKeys)
    let segment = Segment(
      vault: membership.vault, device: id, stream: .random(), after: nil, log: membership.head, seen: [],
      group: GroupID(vault: membership.vault, name: "\(membership.team).\(HeadlessMachine.freeApp)"),
      records: records.map(\.bytes), key: device.keys.signing)
    let key = try #require(device.transportKeys.last)
    return SealedSegment(
      position: segment.position,
      file: Envelope(sealing: segment.bytes, as: .segment, key: key.key, generation: key.generation).bytes)
  }

  private func token(on machine: Machine) throws -> String {
    try machine.coffer("get", "service", "token", "--app", HeadlessMachine.freeApp)
  }

  @Test func `Every machine refuses a segment that it signs, names it, and takes it off the remote`() throws {
    let forged = try segment(of: [forge()])
    for machine in [suite.laptop, suite.desktop] {
      // The first machine takes it off.
      try suite.remote.put([forged])
      let sync = try machine.run("coffer", "sync")
      #expect(sync.exitCode == 6 && sync.errors.contains("ci signed it, which may only read"), "\(sync)")
      #expect(try token(on: machine) == "of the free app")
      #expect(try machine.status("refusedRecords") == "0")
    }
    // The credential itself sees what all see.
    try suite.remote.put([forged])
    let read = try suite.run("get", "service", "token")
    #expect(read.text == "of the free app" && read.errors.contains("ci signed it"), "\(read)")
    try suite.laptop.coffer("set", "service", "other", "--app", HeadlessMachine.freeApp, input: "x")
    #expect(try suite.laptop.run("coffer", "sync").exitCode == 6)
    #expect(try !suite.remote.files().contains(forged.path))
    #expect(try suite.laptop.run("coffer", "sync").exitCode == 0)
  }

  @Test func `Every machine refuses a record that it signs in another machine's segment, and names its author`() throws
  {
    let record = try forge()
    try suite.remote.put([try suite.desktop.sealSegment(of: [record.bytes], in: record.header.group)])
    let sync = try suite.laptop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("on ci"), "\(sync)")
    #expect(try suite.laptop.status("refusedRecords") == "1")
    #expect(try token(on: suite.laptop) == "of the free app")
    // Neither when it was removed: the owner adopts what somebody has to look at, and never by itself.
    try suite.laptop.coffer("device", "revoke", "ci", "--yes")
    #expect(try token(on: suite.laptop) == "of the free app")
    #expect(try suite.laptop.status("refusedRecords") == "1")
  }

  @Test func `Every machine refuses an entry of the log that it signs`() throws {
    let membership = try membership
    let keys = try suite.keys
    for signer in [keys.device.keys, keys.apps[0].keys] {
      let entry = LogEntry(
        vault: membership.vault, after: membership.head, time: .now,
        signer: .admin(AuthorID(vault: membership.vault, keys: signer.publicKeys)), key: signer.signing,
        statement: .device(
          DeviceStatement(keys: PartyKeys.random().publicKeys, role: .readOnly(expires: .now), name: "more")))
      let key = try #require(keys.device.transportKeys.last)
      let file = Envelope(sealing: entry.bytes, as: .logEntry, key: key.key, generation: key.generation).bytes
      let path = "log/\(entry.sequence / 64)/\(entry.sequence)"
      try suite.remote.tamper { try Data(file).write(to: $0.appending(path: path)) }
      let sync = try suite.laptop.run("coffer", "sync")
      #expect(sync.exitCode == 6 && sync.errors.contains("its signer is not an admin"), "\(sync)")
      #expect(!(try suite.laptop.coffer("device", "list").contains("more")))
    }
  }
}
