import CofferTestSupport
import Foundation
import Testing

/// Syncs with a disk that is really full, at the server and here.
@Suite struct FullDiskSyncTests {
  // Made once, and its files are only copied.
  nonisolated(unsafe) private static let template = Result {
    let two = try TwoMachines()
    two.deleteAtExit()
    try two.laptop.set("kept", "value")
    try two.laptop.sync()
    try two.desktop.sync()
    return two
  }

  @Test(arguments: TestRun.rows([ServedMachines.Transport.ssh, .http], [0, 12]))
  func `A server whose disk has no space left says so, and gets the push when there is some`(
    _ transport: ServedMachines.Transport, kilobytes: Int
  ) throws {
    try expectUnsent("No space left on device", through: transport, leaving: kilobytes)
  }

  /// A daemon whose disk is full ends before it has read the whole push. Its system then resets the connection, and
  /// drops what the daemon has said and the network has not carried yet: the load of the machine decides that.
  @Test(arguments: [0, 12])
  func `A push that a git daemon has not read is not lost, and arrives when there is space`(kilobytes: Int) throws {
    // A connection that was reset, or a disk of which the daemon could still say that it is full.
    try expectUnsent("git://", [7, 1], through: .daemon, leaving: kilobytes)
  }

  private func expectUnsent(
    _ words: String, _ exitCodes: Set<Int32?> = [7], through transport: ServedMachines.Transport,
    leaving kilobytes: Int
  ) throws {
    var small: SmallDisk?
    let machines = try ServedMachines(transport) { small = $0 }
    let disk = try #require(small)
    let segments = try machines.segments()
    try machines.laptop.set("waiting", "here")
    // The pack does not fit either way: with some space, the server gets as far as its first objects.
    try disk.fill(leaving: kilobytes)
    let tip = machines.remote.tip
    for _ in 1...2 { try machines.expectUnsent(words, exitCodes, after: machines.laptop.run("coffer", "sync")) }
    #expect(machines.remote.tip == tip)
    disk.free()
    try machines.expectSent(after: segments)
  }

  private static let large = String(repeating: "0123456789abcdef", count: 12_500)

  @Test(arguments: TestRun.rows([0, 16, 64, 200, 500], ordinarily: 2))
  func `A machine whose disk has no space left says so, loses nothing, and syncs when there is some`(kilobytes: Int)
    throws
  {
    let two = try unsafe TwoMachines(copying: Self.template.get())
    let (laptop, desktop) = (two.laptop, two.desktop)
    try laptop.set("arriving", Self.large)
    try laptop.sync()
    let disk = try SmallDisk(replacing: desktop.home.path, megabytes: 4)
    desktop.wrapper = disk.wrapper
    try desktop.set("leaving", Self.large)
    try disk.fill(leaving: kilobytes)
    for _ in 1...2 {
      let sync = try desktop.run("coffer", "sync")
      #expect(sync.exitCode == 1, "\(sync)")
      #expect(sync.errors.lowercased().contains("no space"), "\(sync)")
      #expect(sync.errors.contains("free some"), "\(sync)")
    }
    disk.free()
    #expect(try desktop.coffer("check") == "The store matches its signed objects.")
    #expect(try desktop.get("leaving") == Self.large)
    #expect(try desktop.get("kept") == "value")
    try desktop.sync()
    try laptop.sync()
    for machine in [desktop, laptop] {
      // Not in this process, which does not see the disk.
      for (account, value) in ["kept": "value", "arriving": Self.large, "leaving": Self.large] {
        #expect(try machine.get(account) == value, "\(account)")
      }
      #expect(try machine.status("unsyncedChanges") == "0")
      #expect(try machine.coffer("check") == "The store matches its signed objects.")
    }
  }
}
