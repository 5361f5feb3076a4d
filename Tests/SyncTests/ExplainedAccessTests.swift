import CofferTestSupport
import Foundation
import Testing

/// `coffer why` on machines that know different parts of a vault.
@Suite struct ExplainedAccessTests {
  private let suite: TwoMachines

  init() throws { suite = try TwoMachines() }

  private func why(_ machine: Machine, _ arguments: String...) throws -> Machine.Outcome {
    try machine.start("coffer", ["why"] + arguments).wait()
  }

  @Test func `An app that another machine has registered ends at the plist before a sync, and then at its keys`() throws
  {
    #expect(try suite.laptop.addApp("one").exitCode == 0)
    let before = try why(suite.desktop, "com.example.one", "com.example.one")
    #expect(before.exitCode == 4 && before.text.contains("Access ends at: Entitlements plist"), "\(before)")
    #expect(before.text.contains("run `coffer sync` there, then here"))
    try suite.desktop.sync()
    let synced = try why(suite.desktop, "com.example.one", "com.example.one")
    #expect(
      synced.exitCode == 4 && synced.text.contains("Access ends at: Keys of the app on this machine"), "\(synced)")
    #expect(
      synced.text.contains("signed by the owner on laptop")
        && synced.text.contains("coffer app install com.example.one"))
    try suite.desktop.coffer("app", "install", "com.example.one")
    let installed = try why(suite.desktop, "com.example.one", "com.example.one")
    #expect(installed.exitCode == 0, "\(installed)")
    #expect(try why(suite.laptop, "com.example.one").exitCode == 0)
  }

  @Test func `A fork of the log is named where it ends access, with the way out`() throws {
    try suite.desktop.sync()
    let shared = suite.remote.tip
    #expect(try suite.laptop.addApp("one").exitCode == 0)
    let whole = suite.remote.tip
    try suite.remote.serve(shared)
    #expect(try suite.desktop.addApp("two").exitCode == 0)
    try suite.remote.serve(whole)
    #expect(try suite.desktop.run("coffer", "sync").exitCode == 6)
    for name in ["com.example.one", "com.example.two"] {
      let outcome = try why(suite.desktop, name, name)
      #expect(outcome.exitCode == 4 && outcome.text.contains("has forked after entry"), "\(outcome)")
      #expect(outcome.text.contains("coffer clone --rejoin --accept-fork"), "\(outcome)")
    }
    #expect(try why(suite.desktop, app).exitCode == 0)
    let log = try suite.desktop.run("coffer", "log")
    #expect(log.exitCode == 0 && log.text.contains("(after the fork)"), "\(log)")
    #expect(log.text.contains("Entries of other branches") && log.errors.contains("has forked"), "\(log)")
    let verification = try suite.desktop.run("coffer", "log", "--verify")
    #expect(verification.exitCode == 6 && verification.errors.contains("has forked after entry"), "\(verification)")
    let length = try suite.desktop.status("logLength")
    #expect(verification.text.hasPrefix("Verified: \(length) of \(length) entries"), "\(verification)")
  }

  @Test func `Two machines with one log verify it to one phrase`() throws {
    try suite.desktop.sync()
    let verified = try [suite.laptop, suite.desktop].map { try $0.coffer("log", "--verify") }
    #expect(verified[0] == verified[1] && verified[0].contains("Head phrase: "))
    #expect(try suite.laptop.coffer("log") == suite.desktop.coffer("log"))
    #expect(try suite.laptop.coffer("vault-key", "check", "--vault-key-file", suite.key).contains("opens the vault"))
    #expect(try suite.desktop.coffer("vault-key", "check", "--vault-key-file", suite.key).contains("opens the vault"))
  }

  @Test func `log --verify names the machine whose segments have seen an entry that the host withholds`() throws {
    try suite.desktop.sync()
    let shared = suite.remote.tip
    #expect(try suite.laptop.addApp("one").exitCode == 0)
    try suite.laptop.set("item", "value")
    try suite.laptop.sync()
    let partial = try suite.remote.commit(segmentsOf: suite.remote.tip, on: shared)
    try suite.remote.serve(partial)
    #expect(try suite.desktop.run("coffer", "sync").exitCode == 6)
    let outcome = try suite.desktop.run("coffer", "log", "--verify")
    #expect(outcome.exitCode == 6 && outcome.errors.contains("laptop has seen entry"), "\(outcome)")
    #expect(outcome.errors.contains("which this machine does not have"), "\(outcome)")
    #expect(try suite.laptop.run("coffer", "log", "--verify").exitCode == 0)
  }

  @Test func `log --verify notices that entries at the end are gone, by the number that this machine had`() throws {
    try suite.desktop.sync()
    let length = try #require(Int(suite.desktop.status("logLength")))
    // Neither a segment nor a credential has seen them.
    for name in try FileManager.default.contentsOfDirectory(atPath: suite.desktop.vault.path + "/apps") {
      try FileManager.default.removeItem(atPath: suite.desktop.vault.path + "/apps/\(name)/credential")
    }
    try Command.run(
      "sqlite3", suite.desktop.vault.appending(path: "store.sqlite").path,
      "DELETE FROM log WHERE sequence = \(length)")
    let outcome = try suite.desktop.run("coffer", "log", "--verify")
    #expect(outcome.exitCode == 6, "\(outcome)")
    #expect(
      outcome.errors.contains("the membership log ends at entry \(length - 1), and this machine has had \(length)"),
      "\(outcome)")
  }
}
