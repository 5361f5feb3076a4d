import Coffer
import CofferCrypto
import CofferFormat
import CofferStore
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// A host that shows two admins different membership logs.
@Suite struct ForkedLogTests {
  private let suite: TwoMachines
  /// The tip that both machines have seen.
  private let shared: String
  /// The number of the last entry that both machines have.
  private let length: Int

  init() throws {
    suite = try TwoMachines()
    try suite.desktop.sync()
    shared = suite.remote.tip
    length = try #require(Int(suite.laptop.status("logLength")))
  }

  private func expectNamed(_ problem: String, by machine: Machine) throws {
    let sync = try machine.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains(problem), "\(sync)")
  }

  /// The laptop registers an app and writes an item; the host shows the desktop the item and not the app.
  private func withhold() throws -> (whole: String, partial: String) {
    #expect(try suite.laptop.addApp("one").exitCode == 0)
    try suite.laptop.set("item", "value")
    try suite.laptop.sync()
    let whole = suite.remote.tip
    return (whole, try suite.remote.commit(segmentsOf: whole, on: shared))
  }

  @Test func `Withheld log entries are named at each sync, and membership changes wait for them`() throws {
    let (whole, partial) = try withhold()
    try suite.remote.serve(partial)
    for _ in 0..<2 {
      try expectNamed("of the membership log, which laptop has seen there", by: suite.desktop)
    }
    #expect(try suite.desktop.get("item") == "value")
    #expect(try suite.desktop.coffer("status").contains("which laptop has seen there"))
    for arguments in [["app", "install", app], ["app", "add", Machine.entitlements(of: "PhotoPro")]] {
      let change = try suite.desktop.start("coffer", arguments).wait()
      #expect(change.exitCode == 6 && change.errors.contains("laptop has seen entry"), "\(change)")
    }
    #expect(try suite.desktop.addApp("two").exitCode == 6)
    #expect(try suite.desktop.status("logLength") == "\(length)")
    try suite.remote.serve(whole)
    let sync = try suite.desktop.run("coffer", "sync")
    #expect(!sync.errors.contains("which laptop has seen"), "\(sync)")
    #expect(try suite.desktop.addApp("two").exitCode == 0)
    try suite.laptop.sync()
    #expect(try suite.desktop.status("headPhrase") == suite.laptop.status("headPhrase"))
  }

  @Test func `A claim that no log confirms does not block membership for ever`() throws {
    let local = try LocalVault.open(VaultFolder(suite.laptop.vault))
    let device = try local.deviceFile()
    let membership = try local.membership()
    let claimed = LogPosition(
      sequence: 1 << 62, hash: EntryHash(try #require(Bytes32([UInt8](repeating: 7, count: 32)))))
    let segment = Segment(
      vault: membership.vault, device: DeviceID(vault: membership.vault, keys: device.keys.publicKeys),
      stream: StreamID.random(), after: nil, log: claimed, seen: [],
      group: try #require(membership.groups.keys.first), records: [], key: device.keys.signing)
    let key = try #require(device.transportKeys.last)
    let envelope = Envelope(sealing: segment.bytes, as: .segment, key: key.key, generation: key.generation)
    try suite.remote.tamper { tree in
      let folder = tree.appending(path: "segments/\(segment.stream)/0")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(envelope.bytes).write(to: folder.appending(path: "0"))
    }
    for _ in 0..<2 { try expectNamed("lacks entry \(1 << 62) of the membership log", by: suite.desktop) }
    #expect(try suite.desktop.addApp("two").errors.contains("--despite-claims"))
    #expect(try suite.desktop.addApp("two", "--despite-claims").exitCode == 0)
    #expect(try suite.desktop.coffer("app", "list").contains("com.example.two"))
    // The decision holds.
    try suite.desktop.sync()
    try suite.desktop.coffer("check")
    #expect(try suite.desktop.addApp("three").exitCode == 0)
  }

  @Test func `A change of membership is not pushed if the claim arrives with the very push`() throws {
    let (_, partial) = try withhold()
    try suite.remote.serve(shared)
    // The host refuses the first push, and shows other segments from then on.
    try suite.remote.setPushHook(
      "env -u GIT_QUARANTINE_PATH git update-ref refs/heads/vault-1 \(partial)\nrm -f \"$0\"\nexit 1")
    let change = try suite.desktop.addApp("two")
    #expect(change.exitCode == 6 && change.errors.contains("laptop has seen entry"), "\(change)")
    #expect(suite.remote.tip == partial)
    #expect(try suite.desktop.status("logLength") == "\(length)")
  }

  @Test func `A change of membership is not pushed into a hole before entries of others, and a clone neither`() throws {
    let (whole, _) = try withhold()
    let tree = try suite.remote.files().filter { $0.hasPrefix("log/") }
      .max { (Int($0.split(separator: "/")[2]) ?? 0) < (Int($1.split(separator: "/")[2]) ?? 0) }
    let last = try #require(tree)
    try suite.remote.serve(shared)
    try suite.remote.tamper { folder in
      let file = folder.appending(path: last)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(contentsOf: try blob("\(whole):\(last)")).write(to: file)
    }
    let tip = suite.remote.tip
    #expect(try suite.desktop.addApp("two").exitCode == 6)
    let third = try Machine()
    let clone = try third.run("coffer", "clone", "--no-passphrase", "--vault-key-file", suite.key, suite.remote.path)
    #expect(clone.exitCode == 6 && clone.errors.contains("is missing or was altered, and others follow it"), "\(clone)")
    #expect(suite.remote.tip == tip)
    try suite.remote.serve(whole)
    #expect(try suite.desktop.addApp("two").exitCode == 0)
  }

  /// Writes a file of the remote to a temporary file.
  private func blob(_ name: String) throws -> URL {
    let path = suite.remote.directory.path("blob")
    try Command.run("sh", "-c", "git -C \"$1\" cat-file blob \"$2\" > \"$3\"", "sh", suite.remote.path, name, path)
    return URL(fileURLWithPath: path)
  }

  @Test func `Two branches that a host shows to two machines are named by both before either sees the other's entry`()
    throws
  {
    let (whole, _) = try withhold()
    try suite.remote.serve(shared)
    #expect(try suite.desktop.addApp("two").exitCode == 0)
    let other = suite.remote.tip
    try suite.remote.serve(suite.remote.commit(segmentsOf: whole, on: other))
    try expectNamed("than laptop has seen", by: suite.desktop)
    #expect(try suite.desktop.addApp("three").errors.contains("laptop has seen another entry"))
    try suite.desktop.set("from the desktop", "value")
    try expectNamed("than laptop has seen", by: suite.desktop)
    try suite.remote.serve(suite.remote.commit(segmentsOf: suite.remote.tip, on: whole))
    try expectNamed("than desktop has seen", by: suite.laptop)
    #expect(try suite.laptop.get("from the desktop") == "value")
  }

  @Test func `Two valid entries with one parent are a fork: shown with both heads, and neither grants anything`() throws
  {
    let (whole, _) = try withhold()
    let ours = try suite.laptop.status("headPhrase")
    try suite.remote.serve(shared)
    #expect(try suite.desktop.addApp("two").exitCode == 0)
    let theirs = try suite.desktop.status("headPhrase")
    try suite.desktop.coffer("set", "service", "mine", "--app", "com.example.two", input: "kept")
    try suite.remote.serve(whole)
    for _ in 0..<2 {
      let sync = try suite.desktop.run("coffer", "sync")
      #expect(sync.exitCode == 6 && sync.errors.contains("has forked after entry \(length)"), "\(sync)")
      #expect(sync.errors.contains(ours) && sync.errors.contains(theirs), "\(sync)")
    }
    let status = try suite.desktop.coffer("status")
    #expect(status.contains("has forked") && status.contains(ours) && status.contains(theirs), "\(status)")
    // Nothing of either branch counts, and nothing is written over.
    for application in ["one", "two"] {
      let list = try suite.desktop.run("coffer", "list", "--app", "com.example.\(application)")
      #expect(list.exitCode == 6 && list.errors.contains("has forked"), "\(list)")
    }
    #expect(try suite.desktop.addApp("three").errors.contains("has forked"))
    let entry = try suite.remote.git("rev-parse", "vault-1:log/\((length + 1) / 64)/\(length + 1)")
    #expect(try suite.remote.git("rev-parse", "\(whole):log/\((length + 1) / 64)/\(length + 1)") == entry)
    // What does not concern the branches goes on.
    try suite.desktop.set("later", "value")
    try expectNamed("has forked", by: suite.desktop)
    _ = try suite.laptop.run("coffer", "sync")
    #expect(try suite.laptop.get("later") == "value")
    #expect(try suite.desktop.get("item") == "value")
  }

  @Test func `A fork stays named when the host shows the first branch again, and both machines name it`() throws {
    let (whole, _) = try withhold()
    try suite.remote.serve(shared)
    #expect(try suite.desktop.addApp("two").exitCode == 0)
    let other = suite.remote.tip
    try suite.remote.serve(whole)
    try expectNamed("has forked", by: suite.desktop)
    try suite.remote.serve(other)
    try expectNamed("has forked", by: suite.desktop)
    try expectNamed("has forked", by: suite.laptop)
    try suite.remote.serve(whole)
    try expectNamed("has forked", by: suite.laptop)
  }

  @Test func `Entries of a fork that are altered or that no admin signed prove nothing`() throws {
    let local = try LocalVault.open(VaultFolder(suite.desktop.vault))
    let entry = try #require(try local.store.read { try $0.logEntry(UInt64(length)) })
    let membership = try local.membership()
    let last = try LogEntry(bytes: entry.entry)
    let forged = LogEntry(
      vault: membership.vault, after: LogPosition(sequence: last.sequence - 1, hash: last.previous), time: .now,
      signer: last.signer, key: SigningKey.random(), statement: try #require(try Statement.parse(last)))
    try local.store.write {
      try $0.insertCompetingEntry(forged.hash, sequence: forged.sequence, entry: forged.bytes, envelope: [])
      try $0.insertCompetingEntry(last.hash, sequence: last.sequence, entry: last.bytes, envelope: [])
    }
    try suite.desktop.sync()
    #expect(try local.fork() == nil)
    #expect(try suite.desktop.addApp("two").exitCode == 0)
  }
}
