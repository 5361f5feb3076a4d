import Coffer
import CofferCrypto
import CofferFormat
import CofferStore
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// Records that do not count yet when an epoch begins.
@Suite struct EpochPendingTests {
  private let machines: EpochMachines
  private let application = "com.example.new"
  private var remote: TemporaryRemote { machines.remote }
  private var laptop: Machine { machines.laptop }
  private var desktop: Machine { machines.desktop }

  init() throws { machines = try EpochMachines() }

  /// Lets the laptop register an app and write its item, and the host withhold the registration. Returns the paths.
  private func withholdRegistration() throws -> [String] {
    let known = try Set(machines.files(of: "vault-1"))
    #expect(try laptop.addApp("new").exitCode == 0)
    try laptop.coffer("set", "service", "early", "--app", application, input: "3")
    try machines.sync(laptop)
    let paths = try machines.files(of: "vault-1").filter { $0.hasPrefix("log/") && !known.contains($0) }
    try #require(!paths.isEmpty)
    try machines.commit(Dictionary(uniqueKeysWithValues: paths.map { ($0, nil) }), to: "vault-1")
    #expect(try machines.problems(desktop).contains("of the membership log, which laptop has seen there"))
    #expect(try desktop.status("pendingRecords") == "1")
    return paths
  }

  private func expectItem(on machines: Machine..., location: SourceLocation = #_sourceLocation) throws {
    for machine in machines {
      #expect(try machine.status("pendingRecords") == "0", sourceLocation: location)
      #expect(try machine.status("refusedRecords") == "0", sourceLocation: location)
      try machine.coffer("app", "install", application)
      #expect(
        try machine.coffer("get", "service", "early", "--app", application) == "3", sourceLocation: location)
    }
  }

  @Test func `A machine with pending records ends no epoch, and they count when it follows one`() throws {
    _ = try withholdRegistration()
    let outcome = try desktop.run("coffer", "compact")
    #expect(outcome.exitCode == 6 && outcome.errors.contains("so the epoch goes on"), "\(outcome)")
    #expect(try machines.branches() == ["vault-1"])
    #expect(try machines.problems(desktop).contains("of the membership log, which laptop has seen there"))
    // The laptop pushes again what the host has lost, and begins the epoch then.
    #expect(try laptop.run("coffer", "compact").exitCode == 6)
    try laptop.coffer("compact")
    #expect(try desktop.status("pendingRecords") == "1")
    try machines.sync(desktop, laptop)
    try expectItem(on: desktop)
    try machines.expect(["kept": "1", "changed": "old"], on: desktop, laptop)
  }

  @Test func `Pending records stay as long as the host withholds what permits them from the next epoch, too`() throws {
    let paths = try withholdRegistration()
    #expect(try laptop.run("coffer", "compact").exitCode == 6)
    try laptop.coffer("compact")
    let branch = try machines.branches()[0]
    let tip = try remote.git("rev-parse", branch)
    try machines.commit(Dictionary(uniqueKeysWithValues: paths.map { ($0, nil) }), to: branch)
    try remote.forgetHistory(of: branch)
    for _ in 0..<2 {
      #expect(try machines.problems(desktop).contains("has a branch \(branch) that cannot be followed"))
      #expect(try desktop.status("epoch") == "1")
      #expect(try desktop.status("pendingRecords") == "1")
    }
    try remote.git("update-ref", "refs/heads/\(branch)", tip)
    try machines.sync(desktop, laptop)
    try expectItem(on: desktop)
    try machines.expect(["kept": "1", "changed": "old"], on: desktop, laptop)
  }

  @Test func `Pending records are in the snapshots of machines that hold them, and count when the log permits them`()
    throws
  {
    let third = try machines.clone(named: "third")
    try machines.sync(desktop, laptop)
    // A copy of the laptop registers the app, and shows that to another host only.
    let other = try TemporaryRemote(copying: remote)
    let known = try Set(machines.files(of: "vault-1"))
    let copy = try laptop.copied()
    let local = try copy.local
    try local.store.write { try $0.setSetting(.remoteURL, Array(other.path.utf8)) }
    #expect(try copy.addApp("new").exitCode == 0)
    let registration = try other.files().filter { $0.hasPrefix("log/") && !known.contains($0) }.map {
      ($0, try machines.bytes(of: $0, at: "vault-1", in: other))
    }
    try #require(!registration.isEmpty)
    let membership = try local.membership()
    let record = try copy.forge([UInt8(ascii: "3")], account: "early", in: application, by: application)
    let device = try DeviceID(vault: membership.vault, keys: local.deviceFile().keys.publicKeys)
    let origin = SnapshotEntry.Origin(device: device, stream: .random(), number: 0, log: membership.head.sequence)
    try machines.beginDishonestEpoch(alterEntries: { $0 + [.pending(record.bytes, origin)] })
    try machines.sync(desktop)
    #expect(try desktop.status("epoch") == "2")
    #expect(try desktop.status("pendingRecords") == "1")
    try desktop.coffer("compact")
    try machines.sync(third)
    for machine in [desktop, third] { #expect(try machine.status("pendingRecords") == "1") }
    // Only the entries of the log arrive: nothing but the snapshot has the record, and for those who follow it now, it
    // counts at once.
    let branch = try #require(machines.branches().last)
    try machines.commit(Dictionary(uniqueKeysWithValues: registration), to: branch)
    try machines.sync(laptop, desktop, third)
    let fourth = try machines.clone(named: "fourth")
    try machines.sync(desktop, third, laptop)
    try expectItem(on: desktop, third, laptop, fourth)
    try third.coffer("compact")
    try machines.sync(desktop, fourth, laptop)
    let fifth = try machines.clone(named: "fifth")
    try expectItem(on: desktop, fourth, fifth)
    try machines.sync(desktop, third, fourth, laptop)
    try machines.expect(["kept": "1", "changed": "old"], on: desktop, third, fourth, fifth, laptop)
  }
}
