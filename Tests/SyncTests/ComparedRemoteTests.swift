import CofferCrypto
import CofferFormat
import CofferTestSupport
import Foundation
import Testing

/// What a host drops is noticed, whatever else is wrong at the remote.
@Suite struct ComparedRemoteTests {
  private let suite: TwoMachines

  init() throws {
    suite = try TwoMachines()
    try suite.desktop.coffer("sync")
  }

  /// Plants a segment that no machine can verify or refute: it is sealed under a transport key that nobody has seen.
  private func plantUnverifiableSegment() throws {
    let envelope = Envelope(sealing: [1], as: .segment, key: SymmetricKey.random(), generation: 9)
    try suite.remote.tamper { tree in
      let folder = tree.appending(path: "segments/00000000000000000000000000000001/0")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(envelope.bytes).write(to: folder.appending(path: "0"))
    }
  }

  private func expectNamed(_ problem: String, by machine: Machine) throws {
    let sync = try machine.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains(problem), "\(sync)")
  }

  @Test func `Beside an object that stays unverifiable, a dropped push is named and pushed again`() throws {
    try plantUnverifiableSegment()
    for _ in 0..<2 { try expectNamed("unknown transport key", by: suite.laptop) }
    let before = suite.remote.tip
    try suite.laptop.set("dropped", "1")
    try expectNamed("unknown transport key", by: suite.laptop)
    #expect(try suite.laptop.status("unsyncedChanges") == "0")
    try suite.remote.git("update-ref", "refs/heads/vault-1", before)
    try expectNamed("set back", by: suite.laptop)
    try expectNamed("unknown transport key", by: suite.desktop)
    #expect(try suite.desktop.values() == ["dropped": "1"])
    // It is looked at again at each sync, and stays.
    try expectNamed("unknown transport key", by: suite.desktop)
    #expect(try suite.remote.files().contains("segments/00000000000000000000000000000001/0/0"))
  }

  @Test func `Beside an object that stays unverifiable, a rolled-back change of membership is pushed again`() throws {
    try plantUnverifiableSegment()
    let before = suite.remote.tip
    let plist = try suite.laptop.directory.write(
      "new.entitlements", entitlementsPlist("com.example.new", groups: ["~com.example.new"]))
    try suite.laptop.coffer("app", "add", plist)
    try suite.remote.git("update-ref", "refs/heads/vault-1", before)
    try expectNamed("set back", by: suite.laptop)
    try expectNamed("unknown transport key", by: suite.desktop)
    #expect(try suite.desktop.status("headPhrase") == suite.laptop.status("headPhrase"))
  }

  @Test func `An object that a later commit of the host leaves out is named at the next sync, and restored`() throws {
    try suite.laptop.set("one", "1")
    try suite.laptop.coffer("sync")
    try suite.remote.tamper { try FileManager.default.removeItem(at: $0.appending(path: "segments")) }
    // The machine sees the commit without the segments and dies before it can push.
    try expectNamed("has lost segments/", by: suite.laptop)
    try suite.desktop.coffer("sync")
    #expect(try suite.desktop.values() == ["one": "1"])
  }

  @Test func `A store that marks as published what the remote never had sends it, and names the difference`() throws {
    try suite.laptop.set("kept", "1")
    let tip = suite.remote.tip
    try suite.laptop.coffer("sync")
    let store = suite.laptop.vault.appending(path: "store.sqlite").path
    // The remote and what is remembered of it are as before the push; the segment stays marked.
    try suite.remote.git("update-ref", "refs/heads/vault-1", tip)
    try Command.run("sqlite3", store, "UPDATE setting SET value = x'\(tip)' WHERE name = 'remote-tip'")
    #expect(try suite.laptop.status("unsyncedChanges") == "0")
    try expectNamed("has lost segments/", by: suite.laptop)
    try suite.desktop.coffer("sync")
    #expect(try suite.desktop.values() == ["kept": "1"])
  }

  @Test(arguments: ["number = 0", "number = 1", "number = 2", "number >= 0"])
  func `Segments that the store has lost are restored from the remote with their records`(condition: String) throws {
    for item in ["one", "two", "three"] {
      try suite.desktop.set(item, "value")
      try suite.desktop.coffer("sync")
    }
    try suite.laptop.coffer("sync")
    let store = suite.laptop.vault.appending(path: "store.sqlite").path
    let count = try Command.run("sqlite3", store, "SELECT count(*) FROM segment")
    try Command.run("sqlite3", store, "DELETE FROM segment WHERE \(condition)")
    try expectNamed("it was restored from", by: suite.laptop)
    #expect(try Command.run("sqlite3", store, "SELECT count(*) FROM segment") == count)
    try suite.laptop.coffer("sync")
    try suite.laptop.set("four", "value")
    for machine in [suite.laptop, suite.desktop] { try machine.coffer("sync") }
    #expect(try suite.desktop.values().count == 4)
  }
}
