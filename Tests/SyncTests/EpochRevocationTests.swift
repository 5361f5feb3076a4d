import Coffer
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// Machines that are removed before, while and after an epoch begins.
@Suite struct EpochRevocationTests {
  private let machines: EpochMachines
  private let third: Machine
  private var remote: TemporaryRemote { machines.remote }
  private var laptop: Machine { machines.laptop }
  private var desktop: Machine { machines.desktop }

  init() throws {
    machines = try EpochMachines()
    third = try machines.clone(named: "third")
    try machines.sync(laptop, desktop, third)
  }

  private func revoke(_ name: String, on machine: Machine) throws -> Machine.Outcome {
    try machine.run("coffer", "device", "revoke", name, "--vault-key-file", machines.two.key, "--yes")
  }

  /// Expects that a machine knows that it was removed, and sends nothing.
  private func expectOut(_ machine: Machine) throws {
    let references = try remote.git("for-each-ref")
    for _ in 0..<2 {
      let sync = try machine.run("coffer", "sync")
      #expect(sync.exitCode == 4 && sync.errors.contains("this machine was removed from the vault"), "\(sync)")
    }
    #expect(try remote.git("for-each-ref") == references)
    #expect(try machine.coffer("check") == "The store matches its signed objects.")
  }

  /// Lets the desktop revoke a machine with a push that the host refuses, and returns its commit.
  private func preparedRevocation(of name: String) throws -> String {
    try remote.refuseNextPush()
    let outcome = try revoke(name, on: desktop)
    #expect(outcome.exitCode == 7 && outcome.errors.contains("refuses what this machine pushes"), "\(outcome)")
    return try remote.kept()
  }

  @Test
  func `Machines that were absent learn of a revocation and of an epoch at once, and one learns that it was removed`()
    throws
  {
    try third.set("sent", "3")
    try machines.sync(third)
    try third.set("unsent of the third", "4")
    try desktop.set("unsent of the desktop", "5")
    #expect(try revoke("third", on: laptop).exitCode == 0)
    try laptop.coffer("compact")
    try machines.sync(desktop, laptop)
    try expectOut(third)
    let clone = try machines.clone(named: "fourth")
    try machines.sync(desktop, laptop)
    try machines.expect(
      ["kept": "1", "changed": "old", "sent": "3", "unsent of the desktop": "5"], on: laptop, desktop, clone)
  }

  @Test func `A revocation that is not published yet is published before the epoch ends`() throws {
    try third.set("unsent of the third", "4")
    let commit = try preparedRevocation(of: "third")
    try remote.serve(commit)
    try desktop.coffer("compact")
    #expect(try desktop.local.membership().revocations.count == 1)
    try machines.sync(laptop)
    try expectOut(third)
    try machines.expect(["kept": "1", "changed": "old"], on: laptop, desktop)
  }

  @Test func `A revocation that lands while the epoch is closed is on the next one's branch`() throws {
    try third.set("sent", "3")
    try machines.sync(third, desktop)
    try third.set("unsent of the third", "4")
    try remote.prefer(preparedRevocation(of: "third"))
    try laptop.coffer("compact")
    remote.expectRaced()
    #expect(try machines.branches().count == 1)
    for machine in [laptop, desktop] {
      _ = try machine.run("coffer", "sync")
      #expect(try machine.local.membership().revocations.count == 1)
    }
    try expectOut(third)
    try laptop.set("later", "5")
    try machines.sync(laptop, desktop)
    let clone = try machines.clone(named: "fourth")
    try machines.sync(desktop, laptop)
    try machines.expect(["kept": "1", "changed": "old", "sent": "3", "later": "5"], on: laptop, desktop, clone)
  }

  @Test func `A machine that is removed while it closes the epoch does not close it`() throws {
    try remote.prefer(preparedRevocation(of: "laptop"))
    let outcome = try laptop.run("coffer", "compact")
    #expect(outcome.exitCode == 4 && outcome.errors.contains("removed"), "\(outcome)")
    remote.expectRaced()
    try expectOut(laptop)
    try third.set("later", "3")
    try machines.sync(desktop, third, desktop)
    #expect(try desktop.status("epoch") == "1")
    // Another admin's machine begins the epoch.
    try desktop.coffer("compact")
    try machines.sync(third)
    let clone = try machines.clone(named: "fourth")
    try machines.sync(desktop, third)
    try machines.expect(["kept": "1", "changed": "old", "later": "3"], on: desktop, third, clone)
  }

  @Test func `A machine that has not seen the epoch begin removes another one in it`() throws {
    try third.set("unsent of the third", "4")
    try desktop.set("unsent of the desktop", "5")
    try laptop.coffer("compact")
    #expect(try revoke("third", on: desktop).exitCode == 0)
    #expect(try desktop.status("epoch") == "2")
    try machines.sync(laptop)
    try expectOut(third)
    try machines.expect(["kept": "1", "changed": "old", "unsent of the desktop": "5"], on: laptop, desktop)
  }

  @Test(arguments: TestRun.rows([[], ["--keep"]]))
  func `An epoch of a machine that was removed later is followed by machines that were absent`(
    options: [String]
  ) throws {
    try third.set("unsent of the third", "3")
    try laptop.succeed("coffer", ["compact"] + options)
    try machines.sync(desktop)
    #expect(try revoke("laptop", on: desktop).exitCode == 0)
    try machines.sync(desktop)
    let clone = try machines.clone(named: "fourth")
    try machines.sync(third, desktop, clone)
    try expectOut(laptop)
    try machines.expect(
      ["kept": "1", "changed": "old", "unsent of the third": "3"], on: desktop, third, clone)
    #expect(try third.status("epoch") == "2")
  }

  @Test func `A machine that was absent blames nobody if every machine that has signed its epoch was removed`() throws {
    try laptop.coffer("compact")
    try machines.sync(desktop, third)
    #expect(try revoke("laptop", on: desktop).exitCode == 0)
    // The desktop signs the opening of the epoch, and ends it.
    try machines.sync(desktop)
    let fourth = try machines.clone(named: "fourth")
    try fourth.coffer("compact", "--keep")
    #expect(try revoke("desktop", on: fourth).exitCode == 0)
    try machines.sync(third, fourth)
    #expect(try third.status("epoch") == "3")
    try machines.expect(["kept": "1", "changed": "old"], on: third, fourth)
  }
}
