import CofferTestSupport
import Foundation
import Testing

/// Objects that a host has lost or that are too large, below the checks of git itself.
@Suite struct OddObjectTests {
  private let suite: TwoMachines
  private let host: OddHost

  init() throws {
    suite = try TwoMachines()
    host = try OddHost(suite.remote)
    suite.desktop.environment.merge(host.environment) { $1 }
    try suite.desktop.sync()
  }

  /// Returns the new segments since `files`.
  private func segments(since files: [String]) throws -> [String] {
    try suite.remote.files().filter { $0.hasPrefix("segments/") && !files.contains($0) }
  }

  /// Syncs the desktop within the memory limit, which must name the problem and push its own item.
  private func expectNamed(_ problem: String, item: String) throws {
    try suite.desktop.set(item, "pushed")
    let sync = try suite.desktop.run("coffer", "sync", wrapper: OddHost.limited)
    #expect(sync.exitCode == 6 && sync.errors.contains(problem), "\(sync)")
    #expect(try suite.desktop.status("unsyncedChanges") == "0")
  }

  @Test func `A lost segment is named, the rest arrives, our own push goes on, and it arrives when it is back`() throws
  {
    let known = try suite.remote.files()
    try suite.laptop.set("lost", "1")
    try suite.laptop.sync()
    let lost = try host.lose(try #require(try segments(since: known).first))
    let third = try Machine()
    third.environment.merge(host.environment) { $1 }
    for item in ["one", "two"] { try expectNamed("that is not valid", item: item) }
    try suite.laptop.sync()
    #expect(try suite.laptop.values() == ["lost": "1", "one": "pushed", "two": "pushed"])
    let clone = try third.run(
      "coffer", "clone", "--name", "third", "--no-passphrase", "--vault-key-file", suite.key, suite.remote.path)
    #expect(clone.errors.contains("that is not valid"), "\(clone)")
    #expect(try third.values() == ["one": "pushed", "two": "pushed"])
    try host.restore(lost)
    for machine in [suite.desktop, third] {
      try machine.sync()
      #expect(try machine.values() == ["lost": "1", "one": "pushed", "two": "pushed"])
    }
  }

  @Test(arguments: TestRun.rows(["genesis", "root", "log/0/1", "segment"], ordinarily: 2))
  func `A lost object that this machine has is pushed again, and new machines can clone`(path: String) throws {
    let known = try suite.remote.files()
    try suite.laptop.set("kept", "1")
    try suite.laptop.sync()
    try suite.desktop.sync()
    _ = try host.lose(path == "segment" ? try #require(try segments(since: known).first) : path)
    // A new cache compares everything.
    try FileManager.default.removeItem(at: suite.desktop.vault.appending(path: "cache.git"))
    if path != "genesis" {
      try Command.run(
        "sqlite3", suite.desktop.vault.appending(path: "store.sqlite").path,
        "DELETE FROM setting WHERE name = 'remote-tip'")
    }
    let sync = try suite.desktop.run("coffer", "sync")
    #expect(sync.exitCode == 6, "\(sync)")
    try suite.desktop.sync()
    try suite.remote.git("fsck", "--connectivity-only")
    let third = try Machine()
    try third.coffer("clone", "--no-passphrase", "--vault-key-file", suite.key, suite.remote.path)
    #expect(try third.values() == ["kept": "1"])
  }

  @Test(arguments: TestRun.rows([1, 2, 3]))
  func `A lost folder is named, our own push goes on, and everything arrives when it is back`(depth: Int) throws {
    let known = try suite.remote.files()
    try suite.laptop.set("lost", "1")
    try suite.laptop.sync()
    let path = try #require(try segments(since: known).first).split(separator: "/").prefix(depth).joined(separator: "/")
    let lost = try host.lose(path)
    try expectNamed("a folder \(path) that cannot be read", item: "one")
    if depth > 1 {
      try expectNamed("a folder \(path) that cannot be read", item: "two")
    } else {
      // The first push has replaced the folder, because this machine's stream is in it.
      try suite.desktop.set("two", "pushed")
      try suite.desktop.sync()
    }
    try host.restore(lost)
    _ = try suite.laptop.run("coffer", "sync")
    _ = try suite.desktop.run("coffer", "sync")
    for machine in [suite.laptop, suite.desktop] {
      try machine.sync()
      #expect(try machine.values() == ["lost": "1", "one": "pushed", "two": "pushed"])
    }
  }

  @Test func `A lost object of this machine's cache is fetched again without a word`() throws {
    let known = try suite.remote.files()
    try suite.laptop.set("kept", "1")
    try suite.laptop.sync()
    let path = try #require(try segments(since: known).first)
    let id = try suite.remote.git("rev-parse", "vault-1:\(path)")
    // The cache has the new commit without the segment, as after a crash of the file system.
    let cache = suite.desktop.vault.appending(path: "cache.git").path
    try Command.run(
      "git", "-C", cache, "fetch", "-q", suite.remote.path, "+refs/heads/vault-1:refs/coffer/remote")
    try Command.run(
      "sh", "-c",
      """
      cd "$1" && mkdir old && mv objects/pack/* old/ && for pack in old/*.pack; do git unpack-objects -q < "$pack"; done
      rm -rf old && rm "objects/$(echo "$2" | cut -c1-2)/$(echo "$2" | cut -c3-)"
      """, "sh", cache, id)
    try suite.desktop.sync()
    #expect(try suite.desktop.values() == ["kept": "1"])
  }

  @Test func `A folder that inflates to hundreds of megabytes is named and never read, by syncs and clones`() throws {
    let block = Data((0..<32_768).flatMap { _ in Array("100644 a\0".utf8) + [UInt8](repeating: 0, count: 20) })
    let tree = try host.write("tree", repeating: block, count: OddHost.oddByteCount / block.count)
    try host.plant("odd", "040000 tree \(tree)")
    // Before a commit removes it.
    let third = try Machine()
    third.environment.merge(host.environment) { $1 }
    let clone = try third.run(
      "coffer", "clone", "--name", "third", "--no-passphrase", "--vault-key-file", suite.key, suite.remote.path,
      wrapper: OddHost.limited)
    #expect(clone.errors.contains("an unknown file odd"), "\(clone)")
    try host.plant("odd", "040000 tree \(tree)")
    try expectNamed("an unknown file odd", item: "one")
    #expect(try !suite.remote.files().contains { $0.hasPrefix("odd") })
    try suite.desktop.sync()
    try third.sync()
    #expect(try third.values() == ["one": "pushed"])
  }

  @Test func `A commit that inflates to hundreds of megabytes is named and never read`() throws {
    let tree = try suite.remote.git("rev-parse", "vault-1^{tree}")
    let beginning = """
      tree \(tree)
      parent \(suite.remote.tip)
      author host <host@localhost> 0 +0000
      committer host <host@localhost> 0 +0000


      """
    let block = Data(repeating: UInt8(ascii: "x"), count: 1 << 20)
    let commit = try host.write(
      "commit", Data(beginning.utf8), repeating: block, count: OddHost.oddByteCount / block.count)
    try host.commit(tree, parents: [commit])
    try expectNamed("has a commit that cannot be read, which hides", item: "one")
    try suite.desktop.set("two", "pushed")
    let again = try suite.desktop.run("coffer", "sync", wrapper: OddHost.limited)
    #expect(again.exitCode == 0, "\(again)")
    let third = try Machine()
    third.environment.merge(host.environment) { $1 }
    let clone = try third.run(
      "coffer", "clone", "--name", "third", "--no-passphrase", "--vault-key-file", suite.key, suite.remote.path,
      wrapper: OddHost.limited)
    #expect(clone.exitCode == 0, "\(clone)")
    #expect(try third.values() == ["one": "pushed", "two": "pushed"])
  }
}
