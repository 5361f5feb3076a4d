import CofferTestSupport
import Foundation
import Testing

@Suite("COFFER_VAULT=:memory:")
struct MemoryVaultTests {
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

  @Test("A program without entitlements, on a machine without a vault, has a keychain of its own, and leaves nothing")
  func noSetUp() throws {
    let machine = try emptyMachine()
    let outcome = try machine.run("KeychainProgram", "round-trip", "jane", input: Data("v".utf8), environment: memory)
    let lines = outcome.text.components(separatedBy: "\n")
    #expect(outcome.exitCode == 0 && lines.count == 2 && lines[0] == "v", "\(outcome)")
    #expect(lines.last?.hasSuffix(" service jane") == true, "\(outcome)")
    #expect(try files(of: machine) == [])
  }

  @Test("Each process has its own: what one has added, another does not find")
  func eachProcess() throws {
    let machine = try emptyMachine()
    let added = try machine.run("KeychainProgram", "add", "jane", input: Data("v".utf8), environment: memory)
    #expect(added.exitCode == 0, "\(added)")
    expectFailure(try machine.run("KeychainProgram", "get", "jane", environment: memory), Status.itemNotFound)
    #expect(try machine.run("KeychainProgram", "list", environment: memory).text == "")
    #expect(try files(of: machine) == [])
  }

  @Test("Items can be put under presence there, and reading them needs somebody who is not there")
  func presence() throws {
    let machine = try emptyMachine()
    func run(_ command: String) throws -> Machine.Outcome {
      try machine.run("KeychainProgram", "--presence", command, "jane", input: Data("v".utf8), environment: memory)
    }
    let added = try run("add")
    #expect(added.exitCode == 0, "\(added)")
    expectFailure(try run("round-trip"), Status.interactionNotAllowed)
  }

  @Test("Threads of a process share one")
  func threads() throws {
    let machine = try emptyMachine()
    let outcome = try machine.run("KeychainProgram", "crowd", "one", "20", "8", environment: memory)
    let lines = outcome.text.components(separatedBy: "\n")
    #expect(outcome.exitCode == 0 && outcome.errors.isEmpty, "\(outcome)")
    #expect(lines.filter { $0.hasPrefix("own ") }.count == 160)
    #expect(lines.filter { $0.hasPrefix("claimed ") }.count == 20)
    #expect(try files(of: machine) == [])
  }

  @Test("Entitlements that are found are the app's: its default group, and no other than its groups")
  func entitlements() throws {
    let machine = try emptyMachine()
    let notes = try App(
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

  @Test("A vault that lies on the machine is neither read nor written")
  func besideAVault() throws {
    let machine = try Machine()
    try machine.makeVault()
    let notes = try App("notes", on: machine)
    try notes.succeed("add", "jane", input: "on disk")
    expectFailure(try notes.run("get", "jane", environment: memory), Status.itemNotFound)
    let outcome = try notes.run("round-trip", "jane", input: "in memory", environment: memory)
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(try notes.succeed("get", "jane") == "on disk")
    #expect(try machine.status("items") == "1")
  }
}
