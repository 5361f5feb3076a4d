import CofferTestSupport
import Foundation
import Testing

@Suite struct TwoMachinesTests {
  @Test func `A second machine reads the first one's items, after one sync each, over a real sshd`() throws {
    let server = try SSHServer()
    let remote = try TemporaryRemote()
    let url = "ssh://\(server.user)@127.0.0.1:\(server.port)\(remote.path)"
    let laptop = try Machine()
    let desktop = try Machine()
    for machine in [laptop, desktop] { machine.environment["COFFER_SSH_CONFIG"] = server.clientConfiguration }
    let key = try laptop.makeVault()
    try laptop.register("PhotoFree")
    try laptop.register("PhotoPro")
    try laptop.succeed("PhotoPro", ["buy"])
    try laptop.coffer("remote", "set", url)
    try laptop.sync()
    try desktop.coffer("clone", "--name", "desktop", "--no-passphrase", "--vault-key-file", key, url)
    #expect(try desktop.succeed("PhotoFree").hasPrefix("Pro unlocked"))
    try desktop.succeed("PhotoPro", ["refund"])
    try desktop.sync()
    try laptop.sync()
    #expect(try laptop.succeed("PhotoFree") == "free: 3 filters")
  }

  @Test func `Edits on both sides between syncs all survive`() throws {
    let suite = try TwoMachines()
    for index in 0..<5 {
      try suite.laptop.set("laptop-\(index)", "from the laptop \(index)")
      try suite.desktop.set("desktop-\(index)", "from the desktop \(index)")
    }
    #expect(try suite.laptop.status("unsyncedChanges") == "5")
    for machine in [suite.laptop, suite.desktop, suite.laptop] { try machine.sync() }
    let values = try suite.laptop.values()
    #expect(values.count == 10)
    #expect(try suite.desktop.values() == values)
    #expect(values["desktop-3"] == "from the desktop 3")
    for machine in [suite.laptop, suite.desktop] { #expect(try machine.status("unsyncedChanges") == "0") }
  }

  @Test func `Concurrent changes have the same winner and a conflict on both, until the next write`() throws {
    let suite = try TwoMachines()
    try suite.laptop.set("shared", "first")
    for machine in [suite.laptop, suite.desktop] { try machine.sync() }
    try suite.laptop.set("shared", "by the laptop")
    try suite.desktop.set("shared", "by the desktop")
    for machine in [suite.laptop, suite.desktop, suite.laptop] { try machine.sync() }
    let winner = try suite.laptop.get("shared")
    #expect(winner == "by the desktop")
    #expect(try suite.desktop.get("shared") == winner)
    for machine in [suite.laptop, suite.desktop] { #expect(try machine.status("conflictCount") == "1") }
    try suite.laptop.set("shared", "settled")
    for machine in [suite.laptop, suite.desktop] { try machine.sync() }
    for machine in [suite.laptop, suite.desktop] {
      #expect(try machine.get("shared") == "settled")
      #expect(try machine.status("conflictCount") == "0")
    }
  }

  @Test func `A deletion is synced, and a concurrent edit elsewhere is not lost`() throws {
    let suite = try TwoMachines()
    try suite.laptop.set("gone", "1")
    try suite.laptop.set("edited", "1")
    for machine in [suite.laptop, suite.desktop] { try machine.sync() }
    try suite.laptop.coffer("delete", "service", "gone", "--app", app)
    try suite.laptop.coffer("delete", "service", "edited", "--app", app)
    try suite.desktop.set("edited", "2")
    for machine in [suite.laptop, suite.desktop, suite.laptop] { try machine.sync() }
    for machine in [suite.laptop, suite.desktop] {
      #expect(try machine.run("coffer", "get", "service", "gone", "--app", app).exitCode == 3)
      #expect(try machine.get("edited") == "2")
    }
  }

  @Test(.inFullRun, arguments: SeededGenerator.seedsToRun(unlessGiven: [1, 2]))
  func `Three machines that write and sync at random converge`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let suite = try TwoMachines()
    let third = try Machine()
    try third.coffer("clone", "--name", "third", "--no-passphrase", "--vault-key-file", suite.key, suite.remote.path)
    let machines = [suite.laptop, suite.desktop, third]
    for step in 0..<40 {
      let machine = machines[Int.random(in: 0..<3, using: &generator)]
      let account = "account-\(Int.random(in: 0..<6, using: &generator))"
      switch Int.random(in: 0..<5, using: &generator) {
      case 0, 1: try machine.coffer("sync")
      case 2: _ = try machine.run("coffer", "delete", "service", account, "--app", app)
      default: try machine.set(account, "value \(step)")
      }
    }
    for machine in machines + machines { try machine.sync() }
    let values = try suite.laptop.values()
    for machine in machines {
      #expect(try machine.values() == values, "seed \(seed)")
      #expect(try machine.status("headPhrase") == suite.laptop.status("headPhrase"))
    }
    #expect(try Command.run("git", "-C", suite.remote.path, "fsck", "--no-dangling").contains("error") == false)
  }

  @Test func `Machines that push at the same moment lose nothing and report no error`() throws {
    let suite = try TwoMachines()
    let third = try Machine()
    try third.coffer("clone", "--name", "third", "--no-passphrase", "--vault-key-file", suite.key, suite.remote.path)
    let machines = [suite.laptop, suite.desktop, third]
    for round in 0..<4 {
      for (index, machine) in machines.enumerated() { try machine.set("race-\(index)-\(round)", "x") }
      let running = try machines.map { try $0.start("coffer", ["sync"]) }
      for program in running {
        let outcome = try program.wait()
        #expect(outcome.exitCode == 0, "\(outcome)")
      }
    }
    for machine in machines { try machine.sync() }
    for machine in machines { #expect(try machine.values().count == 12) }
  }

  @Test func `A sync without changes makes no commit`() throws {
    let suite = try TwoMachines()
    try suite.laptop.sync()
    let tip = suite.remote.tip
    #expect(try suite.laptop.coffer("sync").hasPrefix("Up to date"))
    #expect(suite.remote.tip == tip)
  }

  @Test func `Values and names of items, groups, apps and machines are not readable in the repository`() throws {
    let suite = try TwoMachines()
    let canaries = ["CANARY-VALUE", "CANARY-ACCOUNT", "CANARY-SERVICE", "CANARY-LABEL"]
    try suite.laptop.coffer("set", canaries[2], canaries[1], "--label", canaries[3], "--app", app, input: canaries[0])
    try suite.laptop.sync()
    try suite.laptop.coffer("set", canaries[2], canaries[1], "--app", app, input: canaries[0] + "-2")
    try suite.laptop.sync()
    try suite.laptop.coffer("delete", canaries[2], canaries[1], "--app", app)
    try suite.laptop.sync()
    let names = ["com.example", "laptop", "desktop", "PhotoPro", "entitlements", try suite.laptop.status("team")]
    let everything = try suite.remote.everything()
    #expect(everything.range(of: Data("Coffer".utf8)) != nil)
    for secret in canaries + names { #expect(everything.range(of: Data(secret.utf8)) == nil, "\(secret)") }
    for machine in [suite.laptop, suite.desktop] {
      for file in machine.files() {
        let bytes = try Data(contentsOf: file)
        for secret in canaries {
          #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(secret) in \(file.lastPathComponent)")
        }
      }
    }
  }

  @Test func `Machines that no test has changed sync in the process of the tests`() throws {
    let two = try TwoMachines()
    #expect(two.laptop.isPlain && two.desktop.isPlain)
    two.laptop.environment["COFFER_SSH_CONFIG"] = "x"
    #expect(!two.laptop.isPlain)
  }
}
