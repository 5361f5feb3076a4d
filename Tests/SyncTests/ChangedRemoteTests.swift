import CofferTestSupport
import Foundation
import Testing

/// Machines that change from one remote of the vault to another one.
@Suite struct ChangedRemoteTests {
  private let machines: EpochMachines
  private let mirror: TemporaryRemote
  private var laptop: Machine { machines.laptop }
  private var desktop: Machine { machines.desktop }
  private let all = ["kept": "1", "changed": "old"]

  init() throws {
    machines = try EpochMachines()
    mirror = try TemporaryRemote(copying: machines.remote)
  }

  @Test func `A mirror that lags behind gets what it lacks, and nothing twice`() throws {
    try laptop.set("late", "2")
    try machines.sync(laptop)
    try laptop.set("unsent", "3")
    let count = try mirror.files().count
    try laptop.coffer("remote", "set", mirror.path)
    let sync = try laptop.run("coffer", "sync")
    #expect(sync.exitCode == 0 && sync.errors.isEmpty && sync.text.contains("sent:     2 item changes"), "\(sync)")
    #expect(try mirror.files().count == count + 2)
    #expect(try laptop.coffer("sync").hasPrefix("Up to date"))
    try desktop.coffer("remote", "set", mirror.path)
    try machines.sync(desktop, laptop)
    try machines.expect(all.merging(["late": "2", "unsent": "3"]) { $1 }, on: laptop, desktop)
    #expect(try mirror.files().count == count + 2)
  }

  @Test func `A machine that had no remote while the epoch has changed comes back with what it has written`() throws {
    try desktop.coffer("remote", "remove")
    try desktop.set("meanwhile", "2")
    try laptop.coffer("compact")
    #expect(try machines.remote.git("branch", "--list", "vault-1").isEmpty)
    try desktop.coffer("remote", "set", machines.remote.path)
    try machines.sync(desktop, laptop)
    #expect(try desktop.status("epoch") == "2")
    try machines.expect(all.merging(["meanwhile": "2"]) { $1 }, on: laptop, desktop)
  }

  @Test func `A machine that comes to a remote whose snapshot lacks its items sends them again`() throws {
    try desktop.coffer("remote", "set", mirror.path)
    try machines.sync(desktop)
    try machines.beginDishonestEpoch(alterEntries: { Array($0.dropLast()) })
    let thin = try machines.clone(named: "third")
    #expect(try thin.storedValues().count == 1)
    try desktop.coffer("remote", "set", machines.remote.path)
    _ = try desktop.run("coffer", "sync")
    #expect(try desktop.status("epoch") == "2")
    try machines.sync(desktop, thin)
    try machines.expect(all, on: desktop, thin)
  }
}
