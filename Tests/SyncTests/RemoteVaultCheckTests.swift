import CofferTestSupport
import Foundation
import Testing

/// `coffer vault-key check --remote`.
@Suite struct RemoteVaultCheckTests {
  private struct Report: Decodable {
    struct Remote: Decodable {
      let url: String
      let recoversVault: Bool
      let logLength: Int
      let versionCount: Int
      let unsyncedChanges: Int
      let missing: [String]
    }
    let opensVault: Bool
    let vaultKeyNumber: Int
    let remote: Remote
  }

  private let suite: ThreeMachines

  init() throws {
    suite = try ThreeMachines()
    try suite.laptop.set("one", "1")
    try suite.sync(suite.laptop)
  }

  private func check(_ machine: Machine, with key: String? = nil) throws -> Machine.Outcome {
    try machine.run("coffer", "vault-key", "check", "--remote", "--vault-key-file", key ?? suite.key)
  }

  private func report(_ machine: Machine, with key: String? = nil) throws -> Report {
    let outcome = try machine.run(
      "coffer", "vault-key", "check", "--remote", "--json", "--vault-key-file", key ?? suite.key)
    let report = try JSONDecoder().decode(Report.self, from: outcome.output)
    #expect(outcome.exitCode == (report.remote.recoversVault ? 0 : 6), "\(outcome)")
    return report
  }

  /// Expects that the remote lacks something until a machine that has it syncs.
  private func expectMissing(_ words: String, on machine: Machine, with key: String? = nil) throws {
    let tip = suite.remote.tip
    let outcome = try check(machine, with: key)
    #expect(outcome.exitCode == 6 && (outcome.text + outcome.errors).contains(words), "\(outcome)")
    #expect(outcome.errors.contains("run `coffer sync`"), "\(outcome)")
    #expect(suite.remote.tip == tip)
    _ = try machine.run("coffer", "sync")
    #expect(try check(machine, with: key).exitCode == 0)
  }

  @Test func `A remote that recovers the vault is found to do so on each machine, in each epoch, and not changed`()
    throws
  {
    try suite.revoke()
    let new = try suite.rotate()
    try suite.sync(suite.third)
    for _ in 0..<2 {
      for machine in [suite.laptop, suite.third] {
        let tips = try suite.remote.git("for-each-ref")
        let files = try FileManager.default.contentsOfDirectory(atPath: machine.vault.path).sorted()
        let report = try report(machine, with: new)
        #expect(report.opensVault && report.vaultKeyNumber == 2 && report.remote.recoversVault)
        #expect(report.remote.missing.isEmpty && report.remote.url == suite.remote.path)
        #expect(try report.remote.versionCount == 1 && "\(report.remote.logLength)" == machine.status("logLength"))
        #expect(try suite.remote.git("for-each-ref") == tips)
        #expect(try FileManager.default.contentsOfDirectory(atPath: machine.vault.path).sorted() == files)
      }
      try suite.laptop.coffer("compact")
      try suite.sync(suite.third, suite.laptop)
    }
    let old = try check(suite.laptop)
    #expect(old.exitCode == 5 && old.errors.contains("was replaced"), "\(old)")
  }

  @Test func `Without the boxes of a transport key, a remote recovers the vault only by the history of its branch`()
    throws
  {
    try suite.revoke()
    let introducing = try suite.remote.introducing(generation: 2)
    let altered = try suite.laptop.reseal(introducing.file, .withoutBoxes)
    try suite.remote.tamper { try Data(altered).write(to: $0.appending(path: introducing.path)) }
    #expect(try check(suite.laptop).exitCode == 0)
    // The host forgets the history.
    try suite.remote.forgetHistory()
    let outcome = try check(suite.laptop)
    #expect(outcome.exitCode == 6, "\(outcome)")
    _ = try suite.laptop.run("coffer", "sync")
    #expect(try check(suite.laptop).exitCode == 0)
  }

  @Test func `A remote that has lost entries of the log or items does not recover the vault`() throws {
    let before = suite.remote.tip
    try suite.laptop.set("two", "2")
    try suite.sync(suite.laptop)
    try suite.remote.serve(before)
    try expectMissing("1 current version of items in", on: suite.laptop)
    try #require(try suite.laptop.addApp("later").exitCode == 0)
    try suite.remote.serve(before)
    try expectMissing("the entries of the membership log after", on: suite.laptop)
    try suite.remote.tamper { try FileManager.default.removeItem(at: $0.appending(path: "root")) }
    // The history has it, unless somebody has pushed by force.
    #expect(try check(suite.laptop).exitCode == 0)
    try suite.remote.forgetHistory()
    let outcome = try check(suite.laptop)
    #expect(outcome.exitCode == 6 && outcome.errors.contains("lacks the file root"), "\(outcome)")
  }

  @Test func `What was not synced yet is said to be so, and newer items of other machines do no harm`() throws {
    try suite.third.sync()
    try suite.third.set("one", "newer")
    try suite.third.set("another", "2")
    try suite.sync(suite.third)
    try suite.laptop.set("waiting", "3")
    let outcome = try check(suite.laptop)
    #expect(outcome.exitCode == 0 && outcome.text.contains("1 change of this machine not synced yet"), "\(outcome)")
    let report = try report(suite.laptop)
    #expect(report.remote.recoversVault && report.remote.unsyncedChanges == 1 && report.remote.versionCount == 1)
    try suite.third.coffer("compact")
    #expect(try check(suite.laptop).exitCode == 0)
  }

  @Test func `Without a remote, a sync or a network, the check says what to do`() throws {
    let alone = try Machine()
    let key = try alone.makeVault(name: "alone")
    let without = try check(alone, with: key)
    #expect(without.exitCode == 2 && without.errors.contains("coffer remote set"), "\(without)")
    let remote = try TemporaryRemote()
    try alone.coffer("remote", "set", remote.path)
    let unsynced = try check(alone, with: key)
    #expect(unsynced.exitCode == 2 && unsynced.errors.contains("coffer sync"), "\(unsynced)")
    try FileManager.default.removeItem(atPath: suite.remote.path)
    #expect(try check(suite.laptop).exitCode == 7)
    let options = try suite.laptop.run("coffer", "vault-key", "check", "--timeout", "3")
    #expect(options.exitCode == 2 && options.errors.contains("require --remote"), "\(options)")
  }
}
