import CofferFormat
import CofferStore
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// A host that refuses a change of membership, keeps what was pushed, and shows it later.
@Suite struct KeptPushTests {
  private let suite: TwoMachines
  /// The tip that both machines have seen.
  private let shared: String

  init() throws {
    suite = try TwoMachines()
    try suite.desktop.sync()
    shared = suite.remote.tip
  }

  /// The desktop's change of membership fails, because the host refuses it and keeps it.
  private func refuseChange() throws {
    try suite.remote.refuseNextPush()
    let change = try suite.desktop.addApp("one", groups: ["~one", "~two", "~three"])
    #expect(change.exitCode == 7 && change.errors.contains("refuses what this machine pushes"), "\(change)")
    #expect(suite.remote.tip == shared)
    try suite.remote.git("cat-file", "-e", suite.remote.kept() + "^{tree}")
  }

  /// The paths of the log entries of a commit.
  private func logFiles(_ commit: String) throws -> Set<String> {
    Set(
      try suite.remote.git("ls-tree", "-r", "--name-only", commit, "log").split(separator: "\n").map(String.init))
  }

  private func withdrawals(in machine: Machine) throws -> [LogEntry.Signer] {
    try LocalVault.open(VaultFolder(machine.vault)).store.read { try $0.logEntries(after: 0) }.compactMap { stored in
      let entry = try LogEntry(bytes: stored.entry)
      guard case .withdrawal? = try Statement.parse(entry) else { return nil }
      return entry.signer
    }
  }

  @Test func `What a host kept of a refused change proves no fork after the change was repeated`() throws {
    try refuseChange()
    #expect(try suite.desktop.addApp("one").exitCode == 0)
    try suite.laptop.sync()
    #expect(try withdrawals(in: suite.laptop).count == 1)
    let whole = suite.remote.tip
    try suite.remote.serve(suite.remote.kept())
    for machine in [suite.laptop, suite.desktop] {
      // The roll-back is named, and healed by the first machine that sees it.
      let sync = try machine.run("coffer", "sync")
      #expect(!sync.errors.contains("forked"), "\(sync)")
      #expect(try machine.status("logFork") == "none")
    }
    #expect(suite.remote.tip != whole)
    for (name, machine) in [("two", suite.laptop), ("three", suite.desktop)] {
      let change = try machine.addApp(name)
      #expect(change.exitCode == 0, "\(change)")
    }
    try suite.laptop.sync()
    #expect(try suite.laptop.status("headPhrase") == suite.desktop.status("headPhrase"))
    try suite.remote.serve(whole)
    #expect(try suite.laptop.run("coffer", "sync").exitCode == 6)
    #expect(try suite.laptop.coffer("sync").contains("Up to date"))
  }

  @Test func `A fork that only a refused change proves ends when its machine repeats the change`() throws {
    try refuseChange()
    #expect(try suite.laptop.addApp("two").exitCode == 0)
    let whole = suite.remote.tip
    try suite.remote.serve(suite.remote.kept())
    let sync = try suite.laptop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("has forked"), "\(sync)")
    #expect(try suite.laptop.addApp("three").errors.contains("repeating it there withdraws the entry"))
    try suite.remote.serve(whole)
    try suite.desktop.sync()
    try suite.remote.serve(suite.remote.kept())
    // The machine that gave the entry up knows its own.
    #expect(try suite.desktop.run("coffer", "sync").errors.contains("its signer withdrew"))
    // Those after the end of the log block no change either.
    let beyond = try logFiles(suite.remote.kept()).subtracting(logFiles("vault-1"))
    #expect(!beyond.isEmpty)
    try suite.remote.tamper { tree in
      for path in beyond {
        try Command.run(
          "sh", "-c", "git -C \"$1\" cat-file blob \"$2\" > \"$3\"", "sh", suite.remote.path,
          "\(suite.remote.kept()):\(path)",
          tree.appending(path: path).path)
      }
    }
    let change = try suite.desktop.addApp("one")
    #expect(change.exitCode == 0, "\(change)")
    try suite.laptop.sync()
    #expect(try suite.laptop.status("logFork") == "none")
    #expect(try suite.laptop.addApp("three").exitCode == 0)
    try suite.laptop.coffer("check")
  }

  @Test func `A machine that followed a refused change is named, and follows the log again with --accept-fork`() throws
  {
    try refuseChange()
    try suite.remote.serve(suite.remote.kept())
    try suite.laptop.sync()
    try suite.laptop.set("item", "value")
    try suite.laptop.sync()
    let followed = suite.remote.tip
    try suite.remote.serve(shared)
    let change = try suite.desktop.addApp("two")
    #expect(change.exitCode == 0, "\(change)")
    let whole = suite.remote.tip
    // The laptop's segment states that it has seen the entry.
    try suite.remote.serve(suite.remote.commit(segmentsOf: followed, on: whole))
    let named = try suite.desktop.run("coffer", "sync")
    #expect(named.exitCode == 6 && named.errors.contains("which laptop has seen"), "\(named)")
    #expect(try suite.desktop.get("item") == "value")
    let sync = try suite.laptop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("has forked"), "\(sync)")
    #expect(try suite.laptop.addApp("three").errors.contains("withdrawn by who signed them"))
    // Without the owner's word, the branch is not given up.
    let refused = try suite.laptop.run("coffer", "clone", "--rejoin", suite.remote.path)
    #expect(refused.exitCode == 6 && refused.errors.contains("--accept-fork"), "\(refused)")
    #expect(try suite.laptop.status("logFork") != "none")
    try suite.laptop.coffer("clone", "--rejoin", "--accept-fork", suite.remote.path)
    #expect(try suite.laptop.status("logFork") == "none")
    #expect(try suite.laptop.get("item") == "value")
    #expect(try suite.laptop.status("headPhrase") == suite.desktop.status("headPhrase"))
    try suite.laptop.set("later", "value")
    try suite.laptop.sync()
    _ = try suite.desktop.run("coffer", "sync")
    #expect(try suite.desktop.get("later") == "value")
    #expect(try suite.laptop.addApp("three").exitCode == 0)
  }

  @Test func `A clone that is refused once withdraws the entries of root and of its admin`() throws {
    try suite.remote.serve(shared)
    #expect(try suite.laptop.addApp("two").exitCode == 0)
    let whole = suite.remote.tip
    try suite.remote.serve(shared)
    // Another change comes first.
    try suite.remote.refuseNextPush(then: "env -u GIT_QUARANTINE_PATH git update-ref refs/heads/vault-1 \(whole)")
    let third = try Machine()
    try third.coffer(
      "clone", "--name", "third", "--no-passphrase", "--vault-key-file", suite.key, suite.remote.path)
    let signers = try withdrawals(in: third)
    #expect(signers.count == 2 && signers.first == .root, "\(signers)")
    try suite.laptop.sync()
    try suite.remote.serve(suite.remote.kept())
    let sync = try suite.laptop.run("coffer", "sync")
    #expect(!sync.errors.contains("forked"), "\(sync)")
    #expect(try suite.laptop.status("logFork") == "none")
  }
}
