import Coffer
import CofferAdministration
import CofferFormat
import CofferStore
import CofferTestSupport
import Foundation
import Testing

/// Lanes with anything in them. Who may push can create one, and none may keep a machine from syncing.
@Suite struct HostileLaneTests {
  private let two: TwoMachines
  private let host: OddHost
  private var remote: TemporaryRemote { two.remote }
  private var laptop: Machine { two.laptop }
  private var desktop: Machine { two.desktop }

  // Made once, and its files are only copied.
  nonisolated(unsafe) private static let template = Result {
    let two = try TwoMachines()
    two.deleteAtExit()
    try two.laptop.set("kept", "value")
    try two.laptop.sync()
    try two.desktop.sync()
    return two
  }

  init() throws {
    two = try unsafe TwoMachines(copying: Self.template.get())
    host = try OddHost(two.remote)
    for machine in [two.laptop, two.desktop] { machine.environment.merge(host.environment) { $1 } }
  }

  /// Makes a lane of a tree.
  private func plant(tree: String, as lane: Int = 1) throws {
    let commit = try remote.git("commit-tree", "-m", "x", tree)
    try remote.git("update-ref", name(lane), commit)
  }

  private func name(_ lane: Int) -> String {
    "refs/heads/lane-\(String(repeating: "0", count: 26))\(String(format: "%06x", lane))"
  }

  /// Returns a tree with one entry.
  private func tree(_ mode: String, _ type: String, _ id: String, _ name: String) throws -> String {
    try Command.run(
      "sh", "-c", "printf '%s %s %s\\t%s\\0' \"$1\" \"$2\" \"$3\" \"$4\" | git mktree --missing -z", "sh", mode, type,
      id, name, in: URL(fileURLWithPath: remote.path))
  }

  private func blob(_ content: String) throws -> String {
    try host.write("blob", Data(content.utf8))
  }

  /// Returns a tree in which an entry is at a path.
  private func tree(_ mode: String, _ type: String, _ id: String, at path: String) throws -> String {
    let names = path.split(separator: "/").map(String.init)
    var current = try tree(mode, type, id, names[names.count - 1])
    for name in names.dropLast().reversed() { current = try tree("040000", "tree", current, name) }
    return current
  }

  /// Syncs the laptop, which must name the lane and send its own item, and then the desktop.
  ///
  /// - Parameters:
  ///   - words: A part of the error.
  ///   - more: What the desktop has besides.
  ///   - location: Where a failure is reported.
  /// - Throws: An error of a program that must succeed.
  private func expectNamed(_ words: String, more: [String: String] = [:], location: SourceLocation = #_sourceLocation)
    throws
  {
    try laptop.set("own", "1")
    let start = ContinuousClock.now
    let sync = try laptop.run("coffer", "sync", wrapper: OddHost.limited)
    #expect(sync.exitCode == 6 && sync.errors.contains(words), "\(sync)", sourceLocation: location)
    #expect(sync.errors.utf8.count < 20_000, sourceLocation: location)
    #expect(ContinuousClock.now - start < longestWait, sourceLocation: location)
    #expect(try laptop.storedStatus().unsyncedChanges == 0, sourceLocation: location)
    _ = try desktop.run("coffer", "sync", wrapper: OddHost.limited)
    for (machine, more) in [(laptop, [:]), (desktop, more)] {
      let expected = ["kept": "value", "own": "1"].merging(more) { $1 }
      #expect(try machine.storedValues() == expected, sourceLocation: location)
      #expect(
        try machine.coffer("check") == "The store matches its signed objects.", sourceLocation: location)
    }
    // Nothing of the lane stays in the cache.
    let cache = laptop.vault.appending(path: "cache.git").path
    #expect(
      try Command.run("git", "-C", cache, "for-each-ref", "refs/coffer/lane-*").isEmpty, sourceLocation: location)
  }

  private static let stream = String(repeating: "ab", count: 16)
  /// The name of a file that no other program makes.
  private static let escaped = "coffer-escaped-from-a-lane"

  @Test(arguments: [
    ("120000", "blob", "segments/\(stream)/0/0"), ("160000", "commit", "segments/\(stream)/0/0"),
    ("100755", "blob", "segments/\(stream)/0/0"), ("100644", "blob", "segments/\(stream)/0/00"),
    ("100644", "blob", "segments/\(stream)/1/0"), ("100644", "blob", "segments/\(stream.uppercased())/0/0"),
    ("100644", "blob", "segments/../../../../tmp/\(escaped)"), ("100644", "blob", ".git/config"),
    ("100644", "blob", "log/0/1"), ("100644", "blob", "genesis"), ("100644", "blob", "\u{301}/\u{202e}x"),
    ("100644", "blob", "segments/\(stream)/0/18446744073709551615"),
    ("100644", "blob", "segments/\(stream)/0/99999999999999999999"),
  ])
  func `A link, a submodule, a program or an odd name in a lane is ignored and named`(
    mode: String, type: String, path: String
  ) throws {
    let id = type == "commit" ? remote.tip : try blob("/etc/passwd")
    try plant(tree: tree(mode, type, id, at: path))
    try expectNamed("has a lane with a file that is no segment")
    #expect(!FileManager.default.fileExists(atPath: "/tmp/\(Self.escaped)"))
    for machine in [laptop, desktop] {
      let paths = FileManager.default.subpaths(atPath: machine.home.deletingLastPathComponent().path) ?? []
      #expect(!paths.isEmpty && !paths.contains { $0.hasSuffix(Self.escaped) })
    }
  }

  @Test func `A deep tree in a lane is not followed`() throws {
    let inner = try tree("100644", "blob", blob("x"), "x")
    // In one process: git would need one for each level.
    let script = """
      import hashlib, os, sys, zlib
      path, tree = sys.argv[1], sys.argv[2]
      for _ in range(2_000):
          content = b"40000 segments\\0" + bytes.fromhex(tree)
          content = b"tree %d\\0" % len(content) + content
          tree = hashlib.sha1(content).hexdigest()
          os.makedirs(f"{path}/objects/{tree[:2]}", exist_ok=True)
          with open(f"{path}/objects/{tree[:2]}/{tree[2:]}", "wb") as file:
              file.write(zlib.compress(content))
      print(tree)
      """
    try plant(tree: Command.run("python3", "-c", script, remote.path, inner))
    try expectNamed("has a lane with a file that is no segment")
  }

  @Test func `A tree in a lane that doubles at each level is not followed`() throws {
    // 2^40 files.
    let stream = Self.stream
    var current = try tree("100644", "blob", blob("x"), "0")
    for _ in 0..<40 {
      current = try Command.run(
        "sh", "-c", "printf '040000 tree %s\\t%s\\n' \"$1\" segments \"$1\" \"$2\" | git mktree", "sh", current, stream,
        in: URL(fileURLWithPath: remote.path))
    }
    try plant(tree: current)
    try expectNamed("has a lane with a file that is no segment")
  }

  @Test func `A folder in a lane that inflates to hundreds of megabytes is never read`() throws {
    let block = Data((0..<32_768).flatMap { _ in Array("100644 a\0".utf8) + [UInt8](repeating: 0, count: 20) })
    let huge = try host.write("tree", repeating: block, count: OddHost.oddByteCount / block.count)
    try plant(tree: tree("040000", "tree", huge, "segments"))
    try expectNamed("has a lane with a folder that cannot be read")
  }

  @Test func `A segment in a lane that inflates to hundreds of megabytes is never read`() throws {
    let huge = try host.write("blob", repeating: Data(count: 1 << 20), count: OddHost.oddByteCount >> 20)
    try plant(tree: tree("100644", "blob", huge, at: "segments/\(Self.stream)/0/0"))
    try expectNamed("in a lane that is not valid")
  }

  @Test func `A segment of another stream, or of another number, in a lane is not valid and moves nothing`() throws {
    try desktop.set("later", "2")
    try remote.refuseNextPush()
    _ = try desktop.run("coffer", "sync")
    let known = try Set(remote.files())
    let kept = try remote.kept()
    let path = try #require(
      try remote.git("ls-tree", "-r", "--name-only", kept).split(separator: "\n").map(String.init).first {
        !known.contains($0)
      })
    let id = try remote.git("rev-parse", "\(kept):\(path)")
    // A segment of the desktop as one of the laptop, of a new stream, and of a later number.
    let others = try #require(try remote.files().first { $0.hasPrefix("segments/") }).split(separator: "/")[1]
    for (lane, place) in [
      "segments/\(others)/0/40", "segments/\(Self.stream)/0/0",
      path.split(separator: "/").dropLast().joined(separator: "/") + "/50",
    ].enumerated() {
      try plant(tree: tree("100644", "blob", id, at: place), as: lane)
    }
    try expectNamed("in a lane that is not valid", more: ["later": "2"])
    try desktop.sync()
    try laptop.sync()
    for machine in [laptop, desktop] { #expect(try machine.storedValues().count == 3) }
  }

  @Test func `Another form of a segment, in a lane, makes nobody send again what everybody has`() throws {
    try laptop.set("second", "2")
    try laptop.sync()
    try desktop.sync()
    let files = try remote.files()
    let store = try laptop.local.store
    let records = try store.read { reader in
      try reader.sharedHeads().compactMap { try reader.record($0)?.record() }
    }
    let group = try #require(records.first).header.group
    let other = try laptop.sealSegment(of: records.map(\.bytes), in: group, inPlaceOf: laptop.lastOwnSegment())
    #expect(records.count == 2 && files.contains(other.path))
    try plant(tree: tree("100644", "blob", host.write("blob", Data(other.file)), at: other.path))
    try desktop.sync()
    #expect(try remote.files() == files)
    #expect(try remote.git("for-each-ref", "refs/heads/lane-*").isEmpty)
  }

  @Test func `A lane stays until there is space for what its segment has beside the one that took its number`() throws {
    let record = try laptop.forge(
      [1], account: "forged", in: "com.example.photo.purchases", by: "com.example.photo.free")
    let group = record.header.group
    let first = try laptop.sealSegment(of: [], in: group)
    let other = try laptop.sealSegment(of: [record.bytes], in: group, inPlaceOf: first.position)
    try remote.put([first])
    try plant(tree: tree("100644", "blob", host.write("blob", Data(other.file)), at: other.path))
    _ = try desktop.syncKeeping(10)
    #expect(try !remote.git("for-each-ref", "refs/heads/lane-*").isEmpty)
    _ = try desktop.run("coffer", "sync")
    #expect(try remote.git("for-each-ref", "refs/heads/lane-*").isEmpty)
    #expect(try desktop.status("refusedRecords") == "1")
  }

  @Test func `A lane with a lost folder stays until the host has it again, and nothing in it is lost`() throws {
    let (known, tip) = (try remote.files(), try remote.git("rev-parse", "vault-1"))
    try desktop.set("parked", "value")
    try desktop.sync()
    let path = try #require(try remote.files().first { !known.contains($0) })
    try plant(tree: try tree("100644", "blob", try remote.git("rev-parse", "vault-1:\(path)"), at: path))
    try remote.git("update-ref", "refs/heads/vault-1", tip)
    let lost = try host.lose("segments", of: name(1))
    try laptop.set("own", "1")
    let sync = try laptop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("has a lane with a folder that cannot be read"), "\(sync)")
    #expect(try laptop.storedStatus().unsyncedChanges == 0)
    try host.restore(lost)
    try laptop.set("own", "2")
    try laptop.sync()
    #expect(try laptop.storedValues() == ["kept": "value", "own": "2", "parked": "value"])
    #expect(try remote.files().contains(path))
  }

  @Test func `Thousands of lanes keep nobody from syncing, and cost no more than some`() throws {
    let commit = try remote.git("commit-tree", "-m", "x", tree("100644", "blob", blob("x"), at: "junk"))
    let lines = (0..<(TestRun.isFull ? 10_000 : 500)).map { "create \(name($0)) \(commit)\n" }.joined()
    let list = try remote.directory.write("list", lines)
    try Command.run("sh", "-c", "git -C \"$1\" update-ref --stdin < \"$2\"", "sh", remote.path, list)
    try remote.git("pack-refs", "--all")
    try expectNamed("has a lane with a file that is no segment")
    // A clone is not kept away either.
    let third = try Machine()
    let clone = try third.run(
      "coffer", "clone", "--no-passphrase", "--vault-key-file", two.key, remote.path, wrapper: OddHost.limited)
    #expect(clone.exitCode == 0, "\(clone)")
    #expect(try third.storedValues() == ["kept": "value", "own": "1"])
  }

  @Test func `A lane that becomes something else after it was listed does not keep the branch from being fetched`()
    throws
  {
    // A server over HTTP has forgotten the list when it is asked for objects.
    let machines = try ServedMachines(.http)
    let tip = machines.remote.tip
    let lane = name(1)
    let tree = try machines.remote.git("mktree", "--missing")
    let commit = try machines.remote.git("commit-tree", "-m", "x", tree)
    let other = try machines.remote.git("commit-tree", "-m", "y", tree)
    try machines.remote.git("update-ref", lane, commit)
    try machines.desktop.set("waiting", "here")
    try machines.desktop.sync()
    try machines.remote.git("update-ref", lane, commit)
    try machines.beforeFetch("git -C '\(machines.remote.path)' update-ref \(lane) \(other)")
    let sync = try machines.laptop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("has a lane that cannot be fetched"), "\(sync)")
    #expect(machines.remote.tip != tip)
    #expect(try machines.laptop.storedValues() == ["kept": "value", "waiting": "here"])
    try machines.heal()
    _ = try machines.laptop.run("coffer", "sync")
    try machines.laptop.sync()
  }
}
