import CofferFormat
import CofferTestSupport
import Foundation
import Testing

/// Records that the log does not permit when an epoch begins.
@Suite struct EpochRefusedTests {
  private let machines: EpochMachines
  private let free = "com.example.photo.free"
  private let group = "com.example.photo.purchases"
  private var laptop: Machine { machines.laptop }
  private var desktop: Machine { machines.desktop }

  init() throws { machines = try EpochMachines() }

  private func value(on machine: Machine) throws -> String {
    try machine.coffer("get", "service", "item", "--app", app, "--group", group)
  }

  @Test
  func `A refused record outlives the segment that an epoch drops, and counts everywhere once the log permits it`()
    throws
  {
    // Of the app that may only read the group.
    let forged = try laptop.forge(Array("forged".utf8), account: "item", in: group, by: free)
    try machines.remote.put([laptop.sealSegment(of: [forged.bytes], in: forged.header.group)])
    for machine in [laptop, desktop] {
      #expect(try machines.problems(machine).contains("refused 1 record by"))
    }
    try laptop.coffer("compact")
    try machines.sync(desktop)
    let branch = try #require(machines.branches().first)
    #expect(try !machines.files(of: branch).contains { $0.hasPrefix("segments/") })
    let third = try machines.clone(named: "third")
    try machines.sync(laptop, desktop)
    // It does not travel with the snapshot, and is lost nowhere.
    for (machine, count) in [(laptop, 1), (desktop, 1), (third, 0)] {
      #expect(try machine.status("refusedRecords") == "\(count)")
      #expect(try machine.run("coffer", "get", "service", "item", "--app", app, "--group", group).exitCode == 3)
      #expect(try machine.coffer("check") == "The store matches its signed objects.")
    }
    let plist = try laptop.directory.write(
      "writer.entitlements", entitlementsPlist(free, groups: ["~" + free, "~" + group]))
    try laptop.coffer("app", "add", plist)
    try machines.sync(desktop, laptop, third, laptop, desktop, third)
    for machine in [laptop, desktop, third] {
      #expect(try machine.status("refusedRecords") == "0")
      #expect(try value(on: machine) == "forged")
    }
    try machines.expect(["kept": "1", "changed": "old", "item": "forged"], on: laptop, desktop, third)
  }
}
