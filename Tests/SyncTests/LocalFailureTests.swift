import CofferTestSupport
import Foundation
import Testing

/// What goes wrong on this machine while it looks at an honest remote.
@Suite("A sync that fails on its own machine")
struct LocalFailureTests {
  private func sql(_ machine: Machine, _ statement: String) throws {
    try Command.run("sqlite3", machine.vault.appending(path: "store.sqlite").path, statement)
  }

  @Test(
    "An object that the cache has damaged is fetched anew, and the remote is not blamed for it",
    arguments: ["segments/", "log/0/2", "root"])
  func damagedObject(path: String) throws {
    let suite = try Suite()
    try suite.laptop.set("kept", "value")
    for machine in [suite.laptop, suite.desktop] { try machine.coffer("sync") }
    let cache = suite.desktop.vault.appending(path: "cache.git").path
    let listed = try Command.run("git", "-C", cache, "ls-tree", "-r", "refs/coffer/remote", path)
    let object = try #require(listed.split(separator: "\n").first?.split(whereSeparator: \.isWhitespace)[2])
    // Loose, so that one object can be damaged and the others not.
    try Command.run(
      "sh", "-c",
      """
      set -e; cd "$1"; mkdir aside; for pack in objects/pack/*.pack; do mv "$pack" aside/; done; rm -f objects/pack/*
      for pack in aside/*.pack; do git unpack-objects -q < "$pack"; done; rm -r aside
      file=objects/$(echo $2 | cut -c1-2)/$(echo $2 | cut -c3-); chmod u+w $file; echo garbage > $file
      """, "sh", cache, String(object))
    // Without it, everything there is compared again.
    try sql(suite.desktop, "DELETE FROM setting WHERE name = 'remote-tip'")
    let tip = suite.remote.tip
    let sync = try suite.desktop.run("coffer", "sync")
    #expect(sync.exitCode == 0 && sync.errors.isEmpty, "\(sync)")
    #expect(suite.remote.tip == tip)
  }

  @Test("A store that somebody damaged is named itself, and what it could not take is taken once it is mended")
  func damagedStore() throws {
    let suite = try Suite()
    try suite.laptop.set("first", "1")
    for machine in [suite.laptop, suite.desktop] { try machine.coffer("sync") }
    try suite.laptop.set("second", "2")
    try suite.laptop.coffer("sync")
    try sql(
      suite.desktop,
      """
      INSERT INTO setting (name, value) SELECT 'aside-' || hex(stream), hash FROM stream;
      UPDATE stream SET hash = x'00'
      """)
    let failed = try suite.desktop.run("coffer", "sync")
    #expect(failed.exitCode == 6 && failed.errors.contains("store.sqlite"), "\(failed)")
    #expect(!failed.errors.contains("does not hold"), "\(failed)")
    try sql(
      suite.desktop, "UPDATE stream SET hash = (SELECT value FROM setting WHERE name = 'aside-' || hex(stream))")
    try suite.desktop.coffer("sync")
    #expect(try suite.desktop.values() == ["first": "1", "second": "2"])
  }
}
