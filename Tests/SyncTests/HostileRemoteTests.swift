import Coffer
import CofferCrypto
import CofferFormat
import CofferStore
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

@Suite struct HostileRemoteTests {
  /// A way in which a host, or a person by mistake, damages the vault's branch with a commit on top of it.
  struct Damage: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The text that the victim's sync must print.
    let says: String
    let change: @Sendable (URL) throws -> Void

    static let all = [
      Damage(testDescription: "a segment with a flipped byte", says: "segment") { tree in
        try flip(try first(in: tree.appending(path: "segments")))
      },
      Damage(testDescription: "a log entry replaced by garbage", says: "log entry 3") { tree in
        try Data("garbage".utf8).write(to: tree.appending(path: "log/0/3"))
      },
      Damage(testDescription: "a log entry cut off", says: "log entry 2") { tree in
        let file = tree.appending(path: "log/0/2")
        try Data(contentsOf: file).prefix(100).write(to: file)
      },
      Damage(testDescription: "deleted segments", says: "has lost") { tree in
        try FileManager.default.removeItem(at: tree.appending(path: "segments"))
      },
      Damage(testDescription: "a deleted log", says: "has lost") { tree in
        try FileManager.default.removeItem(at: tree.appending(path: "log"))
      },
      Damage(testDescription: "a deleted genesis", says: "genesis") { tree in
        try FileManager.default.removeItem(at: tree.appending(path: "genesis"))
      },
      Damage(testDescription: "a root slot of garbage", says: "root slot") { tree in
        try Data("garbage".utf8).write(to: tree.appending(path: "root"))
      },
      Damage(
        testDescription: "a symbolic link in place of a segment", says: "something else in place of"
      ) { tree in
        let file = try first(in: tree.appending(path: "segments"))
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: "/etc/passwd")
      },
      Damage(testDescription: "a file in place of the log's folder", says: "has lost log/0/1") {
        tree in
        try replace(tree.appending(path: "log"), by: .file)
      },
      Damage(testDescription: "a file in place of the streams' folder", says: "has lost") { tree in
        try replace(tree.appending(path: "segments"), by: .file)
      },
      Damage(testDescription: "a file in place of a stream's folder", says: "has lost") { tree in
        let bucket = try first(in: tree.appending(path: "segments")).deletingLastPathComponent()
        try replace(bucket.deletingLastPathComponent(), by: .file)
      },
      Damage(testDescription: "a folder in place of a segment", says: "something else in place of") { tree in
        try replace(first(in: tree.appending(path: "segments")), by: .folder)
      },
      Damage(testDescription: "a folder in place of the next segment", says: "something else in place of") { tree in
        let file = try first(in: tree.appending(path: "segments"))
        try replace(file.deletingLastPathComponent().appending(path: "1"), by: .folder)
      },
      Damage(testDescription: "a folder in place of the genesis", says: "genesis") { tree in
        try replace(tree.appending(path: "genesis"), by: .folder)
      },
      Damage(testDescription: "a root slot of 5000 bytes", says: "root slot") { tree in
        try Data(count: 5000).write(to: tree.appending(path: "root"))
      },
      Damage(testDescription: "a file that no vault has", says: "unknown file") { tree in
        try Data("hello".utf8).write(to: tree.appending(path: "hello.txt"))
      },
      Damage(testDescription: "a next log entry of garbage", says: "log entry") { tree in
        let next = try FileManager.default.contentsOfDirectory(atPath: tree.appending(path: "log/0").path).count + 1
        try Data("garbage".utf8).write(to: tree.appending(path: "log/0/\(next)"))
      },
      Damage(testDescription: "a file of 33 MiB where a log entry belongs", says: "log entry 2") {
        tree in
        try Data(count: 33 << 20).write(to: tree.appending(path: "log/0/2"))
      },
      Damage(testDescription: "a segment copied under the next number", says: "is not valid") {
        tree in
        let file = try first(in: tree.appending(path: "segments"))
        try FileManager.default.copyItem(at: file, to: file.deletingLastPathComponent().appending(path: "63"))
      },
      Damage(testDescription: "a segment copied into a stream of its own", says: "is not valid") {
        tree in
        let file = try first(in: tree.appending(path: "segments"))
        let folder = tree.appending(path: "segments/00000000000000000000000000000001/0")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: file, to: folder.appending(path: "0"))
      },
    ]

    private static func first(in folder: URL) throws -> URL {
      let names = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isRegularFileKey])
      let files = (names?.compactMap { $0 as? URL } ?? []).filter { !$0.hasDirectoryPath }.sorted { $0.path < $1.path }
      guard let file = files.first else { throw CocoaError(.fileNoSuchFile) }
      return file
    }

    private enum Shape { case file, folder }

    private static func replace(_ url: URL, by shape: Shape) throws {
      if FileManager.default.fileExists(atPath: url.path) { try FileManager.default.removeItem(at: url) }
      switch shape {
      case .file: try Data("in the way".utf8).write(to: url)
      case .folder:
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        try Data("in the way".utf8).write(to: url.appending(path: "file"))
      }
    }

    private static func flip(_ file: URL) throws {
      var bytes = try Data(contentsOf: file)
      bytes[bytes.count / 2] ^= 1
      try bytes.write(to: file)
    }
  }

  /// Two machines with one item. Made once; tests only copy its folders, so that nothing is shared that changes.
  nonisolated(unsafe) private static let template = Result {
    let suite = try TwoMachines()
    suite.deleteAtExit()
    try suite.laptop.set("kept", "value")
    try suite.laptop.sync()
    try suite.desktop.sync()
    return suite
  }

  @Test(arguments: TestRun.rows(Damage.all, ordinarily: 5))
  func `Damage is exit code 6, loses nothing, is repaired if it can be, and hides no later roll-back`(damage: Damage)
    throws
  {
    let suite = try unsafe TwoMachines(copying: Self.template.get())
    try suite.remote.tamper(damage.change)

    try suite.laptop.set("later", "written while the remote is damaged")
    let sync = try suite.laptop.run("coffer", "sync")
    #expect(sync.exitCode == 6, "\(sync)")
    #expect(sync.errors.contains(damage.says), "\(sync)")
    #expect(try suite.laptop.get("kept") == "value")
    // The commit with the new item has replaced or removed what is not valid.
    let again = try suite.laptop.run("coffer", "sync")
    #expect(again.exitCode == 0 && again.errors.isEmpty, "\(again)")
    #expect(try suite.remote.tip == suite.laptop.rememberedTip())
    try suite.desktop.run("coffer", "sync")
    #expect(try suite.desktop.get("later") == "written while the remote is damaged")
    let third = try Machine()
    try third.coffer("clone", "--no-passphrase", "--vault-key-file", suite.key, suite.remote.path)
    #expect(try third.get("kept") == "value")
    try expectNoticedRollBack(of: suite)
  }

  /// Sets the remote back behind a push of the laptop, and expects that the laptop's next sync names the loss and
  /// pushes it again.
  private func expectNoticedRollBack(of suite: TwoMachines) throws {
    let old = suite.remote.tip
    try suite.laptop.set("rolled back", "value")
    _ = try suite.laptop.run("coffer", "sync")
    #expect(suite.remote.tip != old)
    try suite.remote.serve(old)
    let sync = try suite.laptop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("set back"), "\(sync)")
    _ = try suite.laptop.run("coffer", "sync")
    _ = try suite.desktop.run("coffer", "sync")
    #expect(try suite.desktop.get("rolled back") == "value")
  }

  @Test func `A roll-back that comes with an unknown file is named, and both machines get what it took away`() throws {
    let suite = try TwoMachines()
    try suite.laptop.set("one", "1")
    try suite.laptop.sync()
    try suite.remote.tamper { try Data("junk".utf8).write(to: $0.appending(path: "junk")) }
    for machine in [suite.laptop, suite.desktop] { _ = try machine.run("coffer", "sync") }
    try expectNoticedRollBack(of: suite)
    for machine in [suite.laptop, suite.desktop] {
      #expect(try machine.values() == ["one": "1", "rolled back": "value"])
    }
  }

  /// Registers another app on the laptop.
  private func addApp(_ suite: TwoMachines, _ options: String...) throws -> Machine.Outcome {
    let plist = try suite.laptop.directory.write(
      "Third.entitlements",
      String(contentsOfFile: Machine.entitlements(of: "PhotoFree"), encoding: .utf8)
        .replacing("photo.free", with: "photo.third"))
    return try suite.laptop.start("coffer", ["app", "add", plist] + options).wait()
  }

  @Test func `Garbage at the next log position is named, and replaced by the next change of membership`() throws {
    let suite = try TwoMachines()
    let next = try suite.remote.files().count { $0.hasPrefix("log/") } + 1
    try suite.remote.tamper { try Data("garbage".utf8).write(to: $0.appending(path: "log/0/\(next)")) }
    let outcome = try addApp(suite)
    #expect(outcome.exitCode == 0 && outcome.errors.contains("has a log entry \(next) that is not valid"), "\(outcome)")
    for machine in [suite.laptop, suite.desktop] { try machine.sync() }
    #expect(try suite.desktop.status("headPhrase") == suite.laptop.status("headPhrase"))
  }

  @Test func `A clone goes past garbage at the next log position, and replaces it`() throws {
    let suite = try TwoMachines()
    try suite.laptop.set("kept", "value")
    try suite.laptop.sync()
    let next = try suite.remote.files().count { $0.hasPrefix("log/") } + 1
    let entry = Envelope(sealing: [1], as: .logEntry, key: SymmetricKey.random(), generation: 1).bytes
    for bytes in [Array("garbage".utf8), entry] {
      try suite.remote.tamper { try Data(bytes).write(to: $0.appending(path: "log/0/\(next)")) }
      let tip = suite.remote.tip
      let third = try Machine()
      let clone = try third.run("coffer", "clone", "--no-passphrase", "--vault-key-file", suite.key, suite.remote.path)
      #expect(clone.exitCode == 0 && clone.errors.contains("log entry \(next)"), "\(clone)")
      #expect(try third.get("kept") == "value")
      #expect(try third.status("logLength") != "\(next - 1)")
      try third.sync()
      try suite.remote.serve(tip + "~1")
    }
  }

  @Test func `A clone does not write over a file at the next log position that may be valid`() throws {
    let suite = try TwoMachines()
    let next = try suite.remote.files().count { $0.hasPrefix("log/") } + 1
    let envelope = Envelope(
      sealing: [1], as: .logEntry, key: SymmetricKey.random(), generation: 2, boxes: [[UInt8](repeating: 7, count: 80)])
    try suite.remote.tamper { try Data(envelope.bytes).write(to: $0.appending(path: "log/0/\(next)")) }
    let tip = suite.remote.tip
    let third = try Machine()
    let arguments = ["clone", "--no-passphrase", "--vault-key-file", suite.key]
    let clone = try third.start("coffer", arguments + [suite.remote.path]).wait()
    #expect(clone.exitCode == 6 && clone.errors.contains("log/0/\(next)"), "\(clone)")
    #expect(suite.remote.tip == tip)
    let despite = try third.start("coffer", arguments + ["--despite-claims", suite.remote.path]).wait()
    #expect(despite.exitCode == 0, "\(despite)")
    try third.sync()
  }

  @Test func `A file at the next log position that may be valid is named and not overwritten; the rest is pushed`()
    throws
  {
    let suite = try TwoMachines()
    let next = try suite.remote.files().count { $0.hasPrefix("log/") } + 1
    // As an entry that introduces a transport key which was not sealed to this machine.
    let envelope = Envelope(
      sealing: [1], as: .logEntry, key: SymmetricKey.random(), generation: 2, boxes: [[UInt8](repeating: 7, count: 80)])
    let path = "log/0/\(next)"
    try suite.remote.tamper { try Data(envelope.bytes).write(to: $0.appending(path: path)) }
    let length = try suite.laptop.status("logLength")
    let file = try suite.remote.git("rev-parse", "vault-1:\(path)")
    let outcome = try addApp(suite)
    #expect(outcome.exitCode == 6 && outcome.errors.contains("does not overwrite it"), "\(outcome)")
    #expect(try suite.laptop.status("logLength") == length)
    for item in ["one", "two"] {
      try suite.laptop.set(item, "pushed")
      let sync = try suite.laptop.run("coffer", "sync")
      #expect(sync.exitCode == 6 && sync.errors.contains("unknown transport key"), "\(sync)")
      #expect(try suite.laptop.status("unsyncedChanges") == "0")
    }
    #expect(try suite.remote.git("rev-parse", "vault-1:\(path)") == file)
    #expect(try addApp(suite, "--despite-claims").exitCode == 0)
    try suite.desktop.sync()
    #expect(try suite.desktop.status("headPhrase") == suite.laptop.status("headPhrase"))
  }

  @Test(
    arguments: TestRun.rows(["log/\u{301}x", "x\u{600}/y", "log/\u{301}\\y", "segments/\u{301}/0/0", "odd\u{301}"]))
  func `A planted name with marks that combine with a slash is named, and removed by the next commit`(path: String)
    throws
  {
    let suite = try TwoMachines()
    let host = try OddHost(suite.remote)
    try host.plantFile(path)
    try suite.laptop.set("kept", "value")
    let sync = try suite.laptop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("unknown file"), "\(sync)")
    try suite.laptop.sync()
    try suite.desktop.sync()
    #expect(try suite.desktop.get("kept") == "value")
  }

  @Test func `Planted files of a newer form block neither membership nor items, and are removed`() throws {
    let suite = try TwoMachines()
    let host = try OddHost(suite.remote)
    try suite.laptop.set("one", "1")
    try suite.laptop.sync()
    let entry = try suite.remote.files().count { $0.hasPrefix("log/") } + 1
    let segment = try #require(try suite.remote.files().first { $0.hasPrefix("segments/") })
    for path in ["log/0/\(entry)", String(segment.dropLast()) + "1"] {
      try host.plantFile(path, "CfEn\u{2}junk at \(path)")
    }
    try suite.laptop.set("two", "2")
    let sync = try suite.laptop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("format version"), "\(sync)")
    #expect(try suite.laptop.status("unsyncedChanges") == "0")
    try suite.laptop.sync()
    #expect(try addApp(suite).errors.isEmpty)
    try suite.desktop.sync()
    #expect(try suite.desktop.values() == ["one": "1", "two": "2"])
  }

  @Test func `An entry that no member has signed is replaced, whatever it claims to follow`() throws {
    let suite = try TwoMachines()
    let local = try LocalVault.open(VaultFolder(suite.laptop.vault))
    let key = try #require(try local.deviceFile().transportKeys.last)
    let last = try LogEntry(bytes: try #require(try local.store.read { try $0.logEntry(5) }).entry)
    let forged = LogEntry(
      vault: last.vault,
      after: LogPosition(sequence: 4, hash: EntryHash(try #require(Bytes32([UInt8](repeating: 7, count: 32))))),
      time: .now, signer: last.signer, key: PartyKeys.random().signing,
      statement: try #require(try Statement.parse(last)))
    let envelope = Envelope(sealing: forged.bytes, as: .logEntry, key: key.key, generation: key.generation)
    try suite.remote.tamper { try Data(envelope.bytes).write(to: $0.appending(path: "log/0/5")) }
    #expect(try suite.laptop.run("coffer", "sync").exitCode == 6)
    for machine in [suite.laptop, suite.desktop] { try machine.sync() }
    let third = try Machine()
    try third.coffer("clone", "--no-passphrase", "--vault-key-file", suite.key, suite.remote.path)
  }

  @Test func `Folders that are out of order or have repeated names are named, and nothing in them is dropped`() throws {
    let suite = try TwoMachines()
    let host = try OddHost(suite.remote)
    try suite.desktop.set("one", "1")
    try suite.desktop.sync()
    try host.reverseRoot()
    try suite.laptop.set("two", "2")
    let sync = try suite.laptop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("out of order"), "\(sync)")
    for machine in [suite.laptop, suite.desktop] { try machine.sync() }
    for machine in [suite.laptop, suite.desktop] { #expect(try machine.values() == ["one": "1", "two": "2"]) }
    let names = try suite.remote.git("ls-tree", "--name-only", "vault-1").split(separator: "\n")
    #expect(names == names.sorted() && names.count == 4)
  }

  @Test func `Junk does not hide what is lost`() throws {
    let suite = try TwoMachines()
    try suite.laptop.set("one", "1")
    try suite.laptop.sync()
    try suite.remote.tamper { tree in
      try FileManager.default.removeItem(at: tree.appending(path: "segments"))
      for index in 0..<150 { try Data("x".utf8).write(to: tree.appending(path: "a\(index)")) }
    }
    let sync = try suite.laptop.run("coffer", "sync")
    #expect(sync.errors.contains("has lost segments/") && sync.errors.contains("more files"), "\(sync)")
    #expect(try suite.remote.files().count { $0.hasPrefix("a") } == 0)
  }

  @Test func `Files with names that no system can use are named, and removed by the next commit`() throws {
    let suite = try TwoMachines()
    let host = try OddHost(suite.remote)
    let blob = try suite.remote.git("rev-parse", "vault-1:genesis")
    for name in [".GIT", "git~1", "a\\b"] { try host.plant(name, "100644 blob \(blob)") }
    try suite.laptop.set("kept", "value")
    let sync = try suite.laptop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("unknown file git~1"), "\(sync)")
    try suite.laptop.sync()
    let names = try suite.remote.git("ls-tree", "--name-only", "vault-1").split(separator: "\n")
    #expect(names == ["genesis", "log", "root", "segments"])
    try suite.desktop.sync()
    #expect(try suite.desktop.get("kept") == "value")
  }

  @Test
  func `A branch reset to an older commit is a roll-back with exit code 6, and the loss is pushed again`() throws {
    let suite = try TwoMachines()
    let old = suite.remote.tip
    try suite.laptop.set("newer", "value")
    try suite.laptop.sync()
    try suite.remote.serve(old)
    let sync = try suite.laptop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("set back"), "\(sync)")
    try suite.laptop.sync()
    try suite.desktop.sync()
    #expect(try suite.desktop.get("newer") == "value")
  }

  @Test func `A branch reset to an older commit is a roll-back also if the cache was deleted`() throws {
    let suite = try TwoMachines()
    let old = suite.remote.tip
    try suite.laptop.set("newer", "value")
    try suite.laptop.sync()
    try suite.remote.serve(old)
    try FileManager.default.removeItem(at: suite.laptop.vault.appending(path: "cache.git"))
    let sync = try suite.laptop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("set back"), "\(sync)")
    try suite.laptop.sync()
    try suite.desktop.sync()
    #expect(try suite.desktop.get("newer") == "value")
  }

  @Test func `A deleted branch is a loss with exit code 6, and the whole vault is pushed again`() throws {
    let suite = try TwoMachines()
    try suite.laptop.set("kept", "value")
    try suite.laptop.sync()
    try suite.remote.git("update-ref", "-d", "refs/heads/vault-1")
    #expect(try suite.laptop.run("coffer", "sync").exitCode == 6)
    try suite.laptop.sync()
    let third = try Machine()
    try third.coffer("clone", "--no-passphrase", "--vault-key-file", suite.key, suite.remote.path)
    #expect(try third.get("kept") == "value")
  }

  @Test func `The same tree under a rewritten history is reported, and nothing is lost`() throws {
    let suite = try TwoMachines()
    try suite.laptop.set("kept", "value")
    try suite.laptop.sync()
    let commit = try suite.remote.git("commit-tree", "-m", "rewritten", "vault-1^{tree}")
    try suite.remote.serve(commit)
    let sync = try suite.laptop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("rewritten"), "\(sync)")
    try suite.laptop.sync()
    try suite.desktop.run("coffer", "sync")
    #expect(try suite.desktop.get("kept") == "value")
  }

  @Test func `Another vault's genesis is put back, and without the history of this vault nothing is imported`() throws {
    let suite = try TwoMachines()
    let other = try TwoMachines.ofNewVault()
    let genesis = try TemporaryDirectory()
    let file = genesis.path("genesis")
    try Command.run("sh", "-c", "git -C \"$1\" cat-file blob vault-1:genesis > \"$2\"", "sh", other.remote.path, file)
    func replaceGenesis() throws {
      try suite.remote.tamper { tree in
        try Data(contentsOf: URL(fileURLWithPath: file)).write(to: tree.appending(path: "genesis"))
      }
    }
    try replaceGenesis()
    let restored = try suite.laptop.run("coffer", "sync")
    #expect(restored.exitCode == 6 && restored.errors.contains("has lost the genesis"), "\(restored)")
    try suite.laptop.sync()
    try replaceGenesis()
    try suite.remote.forgetHistory()
    let sync = try suite.laptop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("another vault"), "\(sync)")
    let third = try Machine()
    let clone = try third.run("coffer", "clone", "--no-passphrase", "--vault-key-file", suite.key, suite.remote.path)
    #expect(clone.exitCode == 6 && clone.errors.contains("it lacks the file root, or has another one"), "\(clone)")
    #expect(third.files().isEmpty)
  }

  @Test func `Objects that the host has lost are a named error, and local items stay readable`() throws {
    let suite = try TwoMachines()
    try suite.laptop.set("kept", "value")
    try suite.laptop.sync()
    try Command.run("sh", "-c", "rm -rf \"$1\"/objects/??", "sh", suite.remote.path)
    let sync = try suite.desktop.run("coffer", "sync")
    #expect(sync.exitCode == 7, "\(sync)")
    #expect(sync.errors.hasPrefix("coffer: ") && sync.errors.split(separator: "\n").count <= 2, "\(sync)")
    #expect(try suite.laptop.get("kept") == "value")
  }

  @Test func `A host whose hook refuses pushes is exit code 7 with its message, and the changes wait`() throws {
    let suite = try TwoMachines()
    try suite.remote.setPushHook("echo 'the disk quota is used up' >&2\nexit 1")
    try suite.laptop.set("waiting", "value")
    let sync = try suite.laptop.run("coffer", "sync")
    #expect(sync.exitCode == 7, "\(sync)")
    #expect(sync.errors.contains("quota"), "\(sync)")
    #expect(try suite.laptop.status("unsyncedChanges") == "1")
    try suite.remote.setPushHook(nil)
    try suite.laptop.sync()
    try suite.desktop.sync()
    #expect(try suite.desktop.get("waiting") == "value")
  }

  @Test func `A damaged or deleted cache is silently created again`() throws {
    let suite = try TwoMachines()
    let cache = suite.laptop.vault.appending(path: "cache.git")
    try FileManager.default.removeItem(at: cache)
    try suite.laptop.set("one", "1")
    try suite.laptop.sync()
    try Command.run("sh", "-c", "rm -rf \"$1\"/objects/*; echo garbage > \"$1\"/HEAD", "sh", cache.path)
    try suite.laptop.set("two", "2")
    try suite.laptop.sync()
    try suite.desktop.sync()
    #expect(try suite.desktop.values() == ["one": "1", "two": "2"])
  }
}
