import CofferTestSupport
import Foundation
import Testing

/// Failures of this machine while the remote is honest.
@Suite struct LocalFailureTests {
  private func sql(_ machine: Machine, _ statement: String) throws {
    try Command.run("sqlite3", machine.vault.appending(path: "store.sqlite").path, statement)
  }

  @Test(arguments: ["segments/", "log/"])
  func `A damaged object in the cache is fetched again, and the remote is not blamed`(folder: String) throws {
    let suite = try TwoMachines()
    try suite.laptop.set("first", "1")
    for machine in [suite.laptop, suite.desktop] { try machine.sync() }
    let known = try Set(suite.remote.files())
    try suite.laptop.set("second", "2")
    let plist = try suite.laptop.directory.write(
      "Third.entitlements",
      String(contentsOfFile: Machine.entitlements(of: "PhotoFree"), encoding: .utf8)
        .replacing("photo.free", with: "photo.third"))
    try suite.laptop.coffer("app", "add", plist)
    let path = try #require(try suite.remote.files().first { $0.hasPrefix(folder) && !known.contains($0) })
    // The state after a sync that fetched and was ended before it imported anything.
    let cache = suite.desktop.vault.appending(path: "cache.git").path
    try Command.run("git", "-C", cache, "fetch", "-q", suite.remote.path, "+refs/heads/vault-1:refs/coffer/remote")
    let object = try Command.run("git", "-C", cache, "rev-parse", "refs/coffer/remote:\(path)")
    let file = "\(cache)/objects/\(object.prefix(2))/\(object.dropFirst(2))"
    try #require(FileManager.default.fileExists(atPath: file))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    try Data("garbage".utf8).write(to: URL(fileURLWithPath: file))
    let sync = try suite.desktop.run("coffer", "sync")
    #expect(sync.exitCode == 0 && sync.errors.isEmpty, "\(sync)")
    #expect(try suite.desktop.values() == ["first": "1", "second": "2"])
    #expect(try suite.desktop.status("headPhrase") == suite.laptop.status("headPhrase"))
  }

  @Test func `A damaged store is named and repaired, and missed records are imported`() throws {
    let suite = try TwoMachines()
    try suite.laptop.set("first", "1")
    for machine in [suite.laptop, suite.desktop] { try machine.sync() }
    try suite.laptop.set("second", "2")
    try suite.laptop.sync()
    try sql(suite.desktop, "UPDATE stream SET hash = x'00'")
    let failed = try suite.desktop.run("coffer", "sync")
    #expect(failed.exitCode == 6 && failed.errors.contains("store.sqlite"), "\(failed)")
    #expect(!failed.errors.contains("is not valid"), "\(failed)")
    try suite.desktop.sync()
    #expect(try suite.desktop.values() == ["first": "1", "second": "2"])
  }
}
