import Coffer
import CofferCrypto
import CofferFormat
import CofferStore
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// What a host drops is noticed, whatever else is wrong at the remote.
@Suite struct ComparedRemoteTests {
  private let suite: TwoMachines

  init() throws {
    suite = try TwoMachines()
    try suite.desktop.sync()
  }

  private static let stream = "00000000000000000000000000000001"

  /// Plants a segment in a stream of its own.
  private func plant(by keys: PartyKeys, after previous: UInt64?, log: LogPosition? = nil) throws {
    let local = try LocalVault.open(VaultFolder(suite.laptop.vault))
    let membership = try local.membership()
    let stream = StreamID(try #require(Bytes16([UInt8](repeating: 0, count: 15) + [1])))
    let other = try #require(Bytes32([UInt8](repeating: 1, count: 32)))
    let segment = Segment(
      vault: membership.vault, device: DeviceID(vault: membership.vault, keys: keys.publicKeys), stream: stream,
      after: previous.map { StreamPosition(stream: stream, number: $0, hash: SegmentHash(other)) },
      log: log ?? membership.head, seen: [], group: try #require(membership.groups.keys.first), records: [],
      key: keys.signing)
    let key = try #require(try local.deviceFile().transportKeys.last)
    let envelope = Envelope(sealing: segment.bytes, as: .segment, key: key.key, generation: key.generation)
    try suite.remote.tamper { tree in
      let folder = tree.appending(path: "segments/\(Self.stream)/0")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(envelope.bytes).write(to: folder.appending(path: "\(segment.number)"))
    }
  }

  /// Plants a segment that no machine can verify or refute: it names one before it that the remote does not have.
  private func plantUnverifiableSegment() throws {
    try plant(by: LocalVault.open(VaultFolder(suite.desktop.vault)).deviceFile().keys, after: 0)
  }

  @Test
  func `A segment of a machine that is not enrolled is named once and removed, whatever entry of the log it names`()
    throws
  {
    let head = try LocalVault.open(VaultFolder(suite.laptop.vault)).membership().head
    for sequence in [head.sequence, head.sequence + 100] {
      try plant(
        by: PartyKeys.random(), after: nil, log: LogPosition(sequence: sequence, hash: EntryHash(.zero)))
      try expectNamed("is not enrolled", by: suite.laptop)
      #expect(try !suite.remote.files().contains { $0.contains(Self.stream) })
      for machine in [suite.laptop, suite.desktop] { try machine.sync() }
    }
    try suite.laptop.coffer("compact")
  }

  private func expectNamed(_ problem: String, by machine: Machine) throws {
    let sync = try machine.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains(problem), "\(sync)")
  }

  @Test func `Beside an object that stays unverifiable, a dropped push is named and pushed again`() throws {
    try plantUnverifiableSegment()
    for _ in 0..<2 { try expectNamed("does not follow", by: suite.laptop) }
    let before = suite.remote.tip
    try suite.laptop.set("dropped", "1")
    try expectNamed("does not follow", by: suite.laptop)
    #expect(try suite.laptop.status("unsyncedChanges") == "0")
    try suite.remote.serve(before)
    try expectNamed("set back", by: suite.laptop)
    try expectNamed("does not follow", by: suite.desktop)
    #expect(try suite.desktop.values() == ["dropped": "1"])
    // It is looked at again at each sync, and stays.
    try expectNamed("does not follow", by: suite.desktop)
    #expect(try suite.remote.files().contains("segments/\(Self.stream)/0/1"))
  }

  @Test func `Beside an object that stays unverifiable, a rolled-back change of membership is pushed again`() throws {
    try plantUnverifiableSegment()
    let before = suite.remote.tip
    let plist = try suite.laptop.directory.write(
      "new.entitlements", entitlementsPlist("com.example.new", groups: ["~com.example.new"]))
    try suite.laptop.coffer("app", "add", plist)
    try suite.remote.serve(before)
    try expectNamed("set back", by: suite.laptop)
    try expectNamed("does not follow", by: suite.desktop)
    #expect(try suite.desktop.status("headPhrase") == suite.laptop.status("headPhrase"))
  }

  @Test func `An object that a later commit of the host leaves out is named at the next sync, and restored`() throws {
    try suite.laptop.set("one", "1")
    try suite.laptop.sync()
    try suite.remote.tamper { try FileManager.default.removeItem(at: $0.appending(path: "segments")) }
    // The machine sees the commit without the segments and dies before it can push.
    try expectNamed("has lost segments/", by: suite.laptop)
    try suite.desktop.sync()
    #expect(try suite.desktop.values() == ["one": "1"])
  }

  @Test func `A store that marks as published what the remote never had sends it, and names the difference`() throws {
    try suite.laptop.set("kept", "1")
    let tip = suite.remote.tip
    try suite.laptop.sync()
    let store = suite.laptop.vault.appending(path: "store.sqlite").path
    // The remote and what is remembered of it are as before the push; the segment stays marked.
    try suite.remote.serve(tip)
    try Command.run("sqlite3", store, "UPDATE setting SET value = x'\(tip)' WHERE name = 'remote-tip'")
    #expect(try suite.laptop.status("unsyncedChanges") == "0")
    try expectNamed("has lost segments/", by: suite.laptop)
    try suite.desktop.sync()
    #expect(try suite.desktop.values() == ["kept": "1"])
  }

  @Test(arguments: ["number = 0", "number = 1", "number = 2", "number >= 0"])
  func `Segments that the store has lost are restored from the remote with their records`(condition: String) throws {
    for item in ["one", "two", "three"] {
      try suite.desktop.set(item, "value")
      try suite.desktop.sync()
    }
    try suite.laptop.sync()
    let store = suite.laptop.vault.appending(path: "store.sqlite").path
    let count = try Command.run("sqlite3", store, "SELECT count(*) FROM segment")
    try Command.run("sqlite3", store, "DELETE FROM segment WHERE \(condition)")
    try expectNamed("the store", by: suite.laptop)
    #expect(try Command.run("sqlite3", store, "SELECT count(*) FROM segment") == count)
    try suite.laptop.sync()
    try suite.laptop.set("four", "value")
    for machine in [suite.laptop, suite.desktop] { try machine.sync() }
    #expect(try suite.desktop.values().count == 4)
  }

  @Test func `Two published segments of which the host drops the first, after an interrupted push, are both sent`()
    throws
  {
    let before = suite.remote.tip
    for item in ["one", "two"] {
      try suite.laptop.set(item, "1")
      try suite.laptop.sync()
    }
    // The machine was killed before it noted that the remote had accepted them.
    let store = suite.laptop.vault.appending(path: "store.sqlite").path
    try Command.run("sqlite3", store, "UPDATE segment SET published = NULL WHERE number < 2")
    try Command.run("sqlite3", store, "UPDATE setting SET value = x'\(before)' WHERE name = 'remote-tip'")
    try suite.remote.tamper { tree in
      let files = FileManager.default.enumerator(at: tree.appending(path: "segments"), includingPropertiesForKeys: nil)
      for case let file as URL in try #require(files) where file.lastPathComponent == "0" && !file.hasDirectoryPath {
        try FileManager.default.removeItem(at: file)
      }
    }
    try expectNamed("has lost segments/", by: suite.laptop)
    try suite.desktop.sync()
    #expect(try suite.desktop.values() == ["one": "1", "two": "1"])
  }

  @Test func `Objects that a holder of the transport key has sealed again are accepted, and nobody replaces them`()
    throws
  {
    try suite.laptop.set("one", "1")
    try suite.laptop.sync()
    let device = try LocalVault.open(VaultFolder(suite.laptop.vault)).deviceFile()
    let key = try #require(device.transportKeys.last)
    let paths = try suite.remote.files().filter { $0.hasPrefix("log/0/16") || $0.hasPrefix("segments/") }
    #expect(paths.count == 2)
    try suite.remote.tamper { tree in
      for path in paths {
        let file = tree.appending(path: path)
        let envelope = try Envelope(bytes: Array(Data(contentsOf: file)))
        let again = Envelope(
          sealing: try envelope.open(with: key.key), as: envelope.content, key: key.key,
          generation: envelope.generation)
        try Data(again.bytes).write(to: file)
      }
    }
    let tip = suite.remote.tip
    for machine in [suite.laptop, suite.desktop, suite.laptop, suite.desktop] { try machine.sync() }
    #expect(suite.remote.tip == tip)
    #expect(try suite.desktop.values() == ["one": "1"])
  }
}
