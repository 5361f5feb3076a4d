import Coffer
import CofferSync
import CofferTestSupport
import Foundation
import Testing

/// Syncs that an app starts with `Vault.sync(progress:)`.
@Suite struct LibrarySyncTests {
  private static let plist = Machine.entitlements(of: "PhotoPro")

  @Test func `An app syncs its vault, and learns how far the sync is and what it has done`() throws {
    let suite = try TwoMachines()
    try suite.laptop.set("a", "1")
    try suite.laptop.sync()
    try suite.desktop.set("b", "2")
    let lines = try suite.desktop.succeed("CofferTestSyncer", [Self.plist, "sync"]).split(separator: "\n")
    #expect(lines.first == "connecting 0 of 0, bytes: false", "\(lines)")
    for start in ["receiving", "importing", "sending"] {
      #expect(lines.contains { $0.hasPrefix(start) }, "\(lines)")
    }
    #expect(lines.contains { $0.hasPrefix("sending") && $0.hasSuffix("bytes: true") }, "\(lines)")
    #expect(lines.suffix(2) == ["received 1, sent 1, conflicts 0", "bytes true true, took true"], "\(lines)")
    try suite.laptop.sync()
    #expect(try suite.laptop.values() == ["a": "1", "b": "2"])
  }

  @Test func `An app in a folder of its own finds the programs that Scripts/install has put below the home folder`()
    throws
  {
    let suite = try TwoMachines()
    let app = suite.laptop.directory.path("CofferTestSyncer")
    try Command.run("cp", Machine.path(of: "CofferTestSyncer"), app)
    let missing = try suite.laptop.run(app, Self.plist, "sync")
    #expect(missing.exitCode == 1 && missing.text.contains("coffer-sync is missing"), "\(missing)")
    let folder = suite.laptop.directory.path(".local/libexec/coffer")
    try Command.run("mkdir", "-p", folder)
    try Command.run("ln", "-s", Machine.path(of: "coffer-sync"), folder)
    let found = try suite.laptop.run(app, Self.plist, "sync")
    #expect(found.exitCode == 0, "\(found)")
  }

  @Test func `An app that observes changes is told what a sync of its own has brought`() throws {
    let suite = try TwoMachines()
    try suite.laptop.set("a", "1")
    try suite.laptop.sync()
    let lines = try suite.desktop.succeed("CofferTestSyncer", [Self.plist, "observe"]).split(separator: "\n")
    #expect(lines.count == 1 && lines[0].hasSuffix("com.example.photo.pro"), "\(lines)")
  }

  @Test func `The problems of the remote are in the result, and the rest is synced`() throws {
    let suite = try TwoMachines()
    try suite.remote.tamper { try Data("x".utf8).write(to: $0.appending(path: "note")) }
    let text = try suite.laptop.succeed("CofferTestSyncer", [Self.plist, "sync"])
    #expect(text.contains("\nproblem unusable: ") && text.contains("note"), "\(text)")
    try suite.remote.git("update-ref", "-d", "refs/heads/vault-1")
    let again = try suite.laptop.succeed("CofferTestSyncer", [Self.plist, "sync"])
    #expect(again.contains("\nproblem missing: "), "\(again)")
  }

  @Test func `An app reads how the syncs of its vault have gone`() throws {
    let machine = try Machine()
    try machine.makeVault()
    try machine.register("PhotoPro")
    func status() throws -> [Substring] {
      try machine.succeed("CofferTestSyncer", [Self.plist, "status"]).split(separator: "\n")
    }
    #expect(try status() == ["no remote"])
    let remote = try TemporaryRemote()
    try machine.coffer("remote", "set", remote.path)
    try machine.coffer("sync")
    let synced = "remote \(remote.path), attempted true, succeeded true"
    #expect(try status() == [Substring(synced), "error none, failures 0", "problems 0, watched false, next false"])
    try FileManager.default.removeItem(atPath: remote.path)
    #expect(try machine.run("coffer", "sync").exitCode != 0)
    #expect(try status() == [Substring(synced), "error network, failures 1", "problems 0, watched false, next false"])
  }

  @Test func `Errors of the program that syncs reach the app with their code`() throws {
    let machine = try Machine()
    try machine.makeVault()
    try machine.register("PhotoPro")
    func error(program: String = "CofferTestSyncer") throws -> String {
      let outcome = try machine.run(program, Self.plist, "sync")
      #expect(outcome.exitCode == 1, "\(outcome)")
      return String(outcome.text.split(separator: "\n").last ?? "")
    }
    #expect(try error() == "error invalidArgument: this vault has no remote; set one with: coffer remote set URL")
    try machine.coffer("remote", "set", "--force", machine.directory.path("nothing"))
    #expect(try error().hasPrefix("error network: "))
    let other = try TemporaryRemote()
    let tree = try other.git("hash-object", "-t", "tree", "-w", "/dev/null")
    try other.serve(other.git("commit-tree", "-m", "no vault", tree))
    try machine.coffer("remote", "set", other.path)
    #expect(try error().hasPrefix("error integrity: \(other.path) is not a vault"))
    // A copy of the app in another folder does not find the program.
    let copy = machine.directory.path("app")
    try Command.run("cp", Machine.path(of: "CofferTestSyncer"), copy)
    #expect(try error(program: copy).hasPrefix("error io: the program coffer-sync is missing"))
  }

  @Test func `A vault in memory is not synced, and a cancelled task starts nothing`() async throws {
    let plist = EntitlementsSource.file(URL(fileURLWithPath: Self.plist))
    let vault = try Vault.inMemory(entitlements: plist)
    let error = await #expect(throws: VaultError.self) { try await vault.sync() }
    #expect(error?.code == .invalidArgument)
    let machine = try Machine()
    try machine.makeVault()
    try machine.register("PhotoPro")
    let local = try await Vault.open(plist, at: VaultLocation(folder: machine.vault))
    let task = Task { () -> VaultError? in
      while !Task.isCancelled { await Task.yield() }
      do throws(VaultError) {
        try await local.sync()
        return nil
      } catch {
        return error
      }
    }
    task.cancel()
    // Not the error of a vault without a remote.
    #expect(await task.value?.code == .cancelled)
  }

  @Test(arguments: [false, true])
  func `A cancelled sync leaves no process, even if the program that syncs does not answer`(isStopped: Bool) throws {
    let machine = try Machine()
    try machine.makeVault()
    try machine.register("PhotoPro")
    let processes = machine.directory.path("processes")
    let script = try machine.directory.writeScript(
      "ssh",
      """
      echo "$$ $PPID" > '\(processes).new'
      \(isStopped ? "kill -STOP $PPID" : "")
      mv '\(processes).new' '\(processes)'
      exec cat
      """)
    machine.environment["COFFER_SSH"] = script
    try machine.setRemote("host.example:vault.git")
    let text = try machine.succeed("CofferTestSyncer", [Self.plist, "cancel", processes])
    #expect(text == "error cancelled")
    let identifiers = try String(contentsOfFile: processes, encoding: .utf8).split(whereSeparator: \.isWhitespace)
    #expect(identifiers.count == 2)
    for identifier in identifiers { #expect(waitForEnd(ofProcess: try #require(Int32(identifier)))) }
  }
}
