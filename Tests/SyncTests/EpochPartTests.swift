import Coffer
import CofferAdministration
import CofferFormat
import CofferStore
import CofferSystem
import CofferTestSupport
import CofferVault
import Foundation
import Testing

/// Snapshots of several chunks, which are pushed in several parts.
@Suite struct EpochPartTests {
  private let machines: EpochMachines
  private var remote: TemporaryRemote { machines.remote }
  private var laptop: Machine { machines.laptop }
  private var desktop: Machine { machines.desktop }

  // Made once, and its files are only copied.
  nonisolated(unsafe) private static let template = Result {
    let machines = try EpochMachines()
    machines.two.deleteAtExit()
    let (vault, _, _) = try Vault.open(applicationNamed: app, in: VaultFolder(machines.laptop.vault))
    for (account, value) in values where account.hasPrefix("large") {
      try vault.set(value, for: GenericPassword(service: "service", account: account))
    }
    try machines.sync(machines.laptop, machines.desktop)
    return machines.two
  }

  /// More than 16 MiB, the size of one push.
  private static let values: [String: String] = {
    var values = ["kept": "1", "changed": "old"]
    for number in 0..<8 { values["large \(number)"] = String(repeating: "\(number)--", count: 1 << 20) }
    return values
  }()
  private var values: [String: String] { Self.values }

  init() throws { machines = EpochMachines(try TwoMachines(copying: unsafe Self.template.get())) }

  private func chunks(of machine: Machine) throws -> [UInt32] {
    try machine.local.store.read { reader in
      let epoch = try reader.epochBranch().epoch
      return try reader.objects(.chunk).compactMap { object in
        if case .chunk(let number, epoch) = object.key { number } else { nil }
      }
    }
  }

  private func expectEverything(on machines: Machine...) throws {
    for machine in machines {
      let isEqual = try machine.storedValues() == values
      #expect(isEqual)
      #expect(try machine.coffer("check") == "The store matches its signed objects.")
      #expect(try machine.storedStatus().unsyncedChanges == 0)
      #expect(try chunks(of: machine).count > 4)
    }
  }

  @Test func `A large snapshot has several chunks, is pushed in several parts, and every machine has all of it`() throws
  {
    let steps = try laptop.steps(of: "coffer", ["compact"])
    // The branch without chunks, and two parts.
    #expect(steps.count { $0.point == .candidatePushed } == 3)
    let branches = try machines.branches()
    #expect(branches.count == 1)
    #expect(try machines.files(of: branches[0]).count { $0.hasPrefix("snapshot/") } > 4)
    try machines.sync(desktop)
    let third = try machines.clone(named: "third")
    try expectEverything(on: laptop, desktop, third)
  }

  @Test func `An epoch that a machine begins or follows when it is killed between parts goes on with the next sync`()
    throws
  {
    try laptop.kill("coffer", ["compact"], at: FaultStep(point: .candidatePushed, occurrence: 2))
    #expect(try machines.branches().count == 2)
    try machines.sync(desktop)
    #expect(try desktop.status("epoch") == "1")
    try laptop.coffer("compact")
    try desktop.kill("coffer", ["sync"], at: FaultStep(point: .chunkImported, occurrence: 3))
    // What was imported counts nothing yet, and is not lost.
    #expect(try desktop.storedStatus().epoch.number == 1)
    let isEqual = try desktop.storedValues() == values
    #expect(isEqual)
    try machines.sync(desktop, laptop)
    try expectEverything(on: laptop, desktop)
    #expect(try machines.branches().count == 1)
  }

  @Test(.inFullRun)
  func `A host that refuses a part keeps the epoch, and the branch that was begun is deleted later`() throws {
    try remote.setPushHook(
      """
      while read old new ref; do
        case $ref in *vault-2*) git ls-tree --name-only "$new" | grep -q snapshot && [ -e parted ] && exit 1 ;; esac
        case $ref in *vault-2*) git ls-tree --name-only "$new" | grep -q snapshot && touch parted ;; esac
      done
      exit 0
      """)
    let outcome = try laptop.run("coffer", "compact")
    #expect(outcome.exitCode == 7 && outcome.errors.contains("does not accept the branch of another epoch"))
    #expect(FileManager.default.fileExists(atPath: remote.path + "/parted"))
    #expect(try machines.branches().count == 2)
    try desktop.set("later", "3")
    try machines.sync(desktop, laptop)
    #expect(try machines.branches() == ["vault-1"])
    let isEqual = try laptop.storedValues() == values.merging(["later": "3"]) { $1 }
    #expect(isEqual)
  }

  @Test(.inFullRun) func `A chunk that the host loses is pushed again by a machine that has it`() throws {
    try laptop.coffer("compact")
    try machines.sync(desktop)
    let branch = try machines.branches()[0]
    try machines.commit(["snapshot/2": nil], to: branch)
    try remote.forgetHistory(of: branch)
    // A new machine must not begin the vault anew beside it.
    let third = try Machine()
    let arguments = ["clone", "--no-passphrase", "--vault-key-file", machines.two.key, remote.path]
    let outcome = try third.start("coffer", arguments + ["--name", "third"]).wait()
    #expect(outcome.exitCode != 0 && outcome.errors.contains("cannot be followed: it lacks snapshot/2"), "\(outcome)")
    #expect(try machines.branches() == [branch])
    #expect(try machines.problems(desktop).contains("snapshot/2"))
    #expect(try machines.files(of: branch).contains("snapshot/2"))
    let fourth = try machines.clone(named: "fourth")
    #expect(try machines.branches() == [branch])
    try expectEverything(on: fourth)
  }
}
