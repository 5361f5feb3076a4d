import CofferTestSupport
import Foundation
import Testing

@Suite struct MemoryVaultTests {
  private let memory = ["COFFER_VAULT": ":memory:"]

  /// Returns a machine without a vault, on which everything that a program writes is in its directory.
  private func emptyMachine() throws -> Machine {
    let machine = try Machine()
    machine.environment["COFFER_HOME"] = nil
    machine.environment["TMPDIR"] = machine.directory.path
    return machine
  }

  private func files(of machine: Machine) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: machine.directory.path).sorted()
  }

  @Test func `A program without entitlements or a vault has its own keychain, and leaves no files`() throws {
    let machine = try emptyMachine()
    let outcome = try machine.run("KeychainProgram", "round-trip", "jane", input: Data("v".utf8), environment: memory)
    let lines = outcome.text.components(separatedBy: "\n")
    #expect(outcome.exitCode == 0 && lines.count == 2 && lines[0] == "v", "\(outcome)")
    #expect(lines.last?.hasSuffix(" service jane") == true, "\(outcome)")
    #expect(try files(of: machine) == [])
  }

  @Test func `Each process has its own keychain and does not find another's items`() throws {
    let machine = try emptyMachine()
    let added = try machine.run("KeychainProgram", "add", "jane", input: Data("v".utf8), environment: memory)
    #expect(added.exitCode == 0, "\(added)")
    expectFailure(try machine.run("KeychainProgram", "get", "jane", environment: memory), Status.itemNotFound)
    #expect(try machine.run("KeychainProgram", "list", environment: memory).text == "")
    #expect(try files(of: machine) == [])
  }

  @Test func `Items can be added under user presence, and reading them needs a prompter`() throws {
    let machine = try emptyMachine()
    func run(_ command: String) throws -> Machine.Outcome {
      try machine.run("KeychainProgram", "--presence", command, "jane", input: Data("v".utf8), environment: memory)
    }
    let added = try run("add")
    #expect(added.exitCode == 0, "\(added)")
    expectFailure(try run("round-trip"), Status.interactionNotAllowed)
  }

  @Test func `Threads of a process share one keychain`() throws {
    let machine = try emptyMachine()
    let outcome = try machine.run("KeychainProgram", "concurrent", "one", "20", "8", environment: memory)
    let lines = outcome.text.components(separatedBy: "\n")
    #expect(outcome.exitCode == 0 && outcome.errors.isEmpty, "\(outcome)")
    #expect(lines.filter { $0.hasPrefix("own ") }.count == 160)
    #expect(lines.filter { $0.hasPrefix("claimed ") }.count == 20)
    #expect(try files(of: machine) == [])
  }

  @Test func `Entitlements that are found determine the app's default group and its groups`() throws {
    let machine = try emptyMachine()
    let notes = try InstalledApp(
      "notes", on: machine, groups: ["~com.example.suite", "~com.example.more"],
      isRegistered: false)
    let outcome = try notes.run("round-trip", "jane", input: "v", environment: memory)
    let group = try #require(outcome.text.components(separatedBy: "\n").last?.components(separatedBy: " ").first)
    #expect(outcome.exitCode == 0 && group.hasSuffix(".com.example.suite"), "\(outcome)")
    expectFailure(
      try notes.run("--group", "ABCDEFGHIJ.com.example.bank", "get", "jane", environment: memory),
      Status.missingEntitlement)
    #expect(try files(of: machine) == ["notes", "notes.entitlements"])
  }

  @Test func `An existing vault of the machine is neither read nor written`() throws {
    let machine = try Machine()
    try machine.makeVault()
    let notes = try InstalledApp("notes", on: machine)
    try notes.succeed("add", "jane", input: "on disk")
    expectFailure(try notes.run("get", "jane", environment: memory), Status.itemNotFound)
    let outcome = try notes.run("round-trip", "jane", input: "in memory", environment: memory)
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(try notes.succeed("get", "jane") == "on disk")
    #expect(try machine.status("items") == "1")
  }
}
