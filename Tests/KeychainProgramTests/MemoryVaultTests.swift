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

  /// Runs the program with a vault in memory and further variables.
  private func run(_ variables: [String: String], _ arguments: String...) throws -> Machine.Outcome {
    let machine = try emptyMachine()
    let outcome = try machine.start(
      "KeychainProgram", arguments, input: Data("v".utf8), environment: memory.merging(variables) { $1 }
    ).wait()
    #expect(try files(of: machine) == [])
    return outcome
  }

  @Test(arguments: ["--presence", "--password"])
  func `COFFER_MEMORY_PROMPT approves, cancels or fails the prompts of a program without a prompter`(
    _ condition: String
  ) throws {
    let approved = try run(["COFFER_MEMORY_PROMPT": "approve"], condition, "round-trip", "jane")
    #expect(approved.exitCode == 0 && approved.text.hasPrefix("v\n"), "\(approved)")
    // The password of a new item is prompted for before it is added.
    let call = condition == "--password" ? "SecItemAdd" : "SecItemCopyMatching"
    for (outcome, status) in [("cancel", Status.userCanceled), ("fail", Status.authFailed)] {
      let refused = try run(["COFFER_MEMORY_PROMPT": outcome], condition, "round-trip", "jane")
      expectFailure(refused, status, of: call)
    }
    let silent = try run(["COFFER_MEMORY_PROMPT": "approve"], condition, "--fail", "round-trip", "jane")
    expectFailure(silent, Status.interactionNotAllowed, of: call)
  }

  @Test func `The outcomes of prompts are taken one after another, and a program's own prompter has precedence`() throws
  {
    for (outcomes, status) in [("approve,cancel", Status.userCanceled), ("approve,fail", Status.authFailed)] {
      let refused = try run(["COFFER_MEMORY_PROMPT": outcomes], "--password", "round-trip", "jane")
      expectFailure(refused, status)
    }
    let both = try run(["COFFER_MEMORY_PROMPT": "approve"], "--password", "--presence", "round-trip", "jane")
    #expect(both.exitCode == 0, "\(both)")
    let own = ["--pinentry", "/nowhere/pinentry", "--presence", "round-trip", "jane"]
    let machine = try emptyMachine()
    let refused = try machine.start(
      "KeychainProgram", own, input: Data("v".utf8),
      environment: memory.merging(["COFFER_MEMORY_PROMPT": "approve"]) { $1 }
    ).wait()
    expectFailure(refused, Status.interactionNotAllowed)
  }

  @Test func `An item for devices with a passcode can be added, and reading it does not prompt`() throws {
    let outcome = try run([:], "--accessible", "akpu", "round-trip", "jane")
    #expect(outcome.exitCode == 0 && outcome.text.hasPrefix("v\n"), "\(outcome)")
  }

  @Test func `COFFER_MEMORY_TEAM or the plist's literal prefix is the prefix of groups`() throws {
    let machine = try emptyMachine()
    func group(_ app: InstalledApp, _ arguments: [String] = [], team: String? = nil) throws -> String {
      var environment = memory
      environment["COFFER_MEMORY_TEAM"] = team
      let outcome = try machine.start(
        app.program, arguments + ["round-trip", "jane"], input: Data("v".utf8), environment: environment
      ).wait()
      #expect(outcome.exitCode == 0, "\(outcome)")
      return outcome.text.components(separatedBy: "\n").last?.components(separatedBy: " ").first ?? ""
    }
    let variable = try InstalledApp(
      "variable", on: machine, groups: ["~com.example.suite", "~com.example.more"], isRegistered: false)
    #expect(try group(variable, team: "AB01234589") == "AB01234589.com.example.suite")
    for name in ["AB01234589.com.example.more", "com.example.more", "ZZZZZZZZZZ.com.example.more"] {
      #expect(try group(variable, ["--group", name], team: "AB01234589") == "AB01234589.com.example.more")
    }
    let literal = try InstalledApp("literal", on: machine, isRegistered: false)
    try machine.directory.write(
      "literal.entitlements",
      entitlementsPlist("com.example.literal", groups: ["ABCDE12345.com.example.suite"])
        .replacingOccurrences(of: "$(AppIdentifierPrefix)", with: "ABCDE12345."))
    #expect(try group(literal) == "ABCDE12345.com.example.suite")
    #expect(try group(literal, team: "AB01234589") == "AB01234589.com.example.suite")
    let refused = try literal.run(
      "--group", "ABCDE12345.com.example.bank", "get", "jane", environment: memory)
    expectFailure(refused, Status.missingEntitlement)
    #expect(refused.errors.contains("it has: ABCDE12345.com.example.suite, ABCDE12345.com.example.literal"))
    let alone = try run(["COFFER_MEMORY_TEAM": "AB01234589"], "round-trip", "jane")
    #expect(alone.text.contains("\nAB01234589.coffer.memory.x"), "\(alone)")
  }

  @Test(arguments: [
    ("COFFER_MEMORY_PROMPT", "approve,maybe"), ("COFFER_MEMORY_PROMPT", "approve,"),
    ("COFFER_MEMORY_TEAM", "ABCDE1234"),
    ("COFFER_MEMORY_TEAM", "abcde12345"), ("COFFER_MEMORY_TEAM", "ABCDE12345."),
  ])
  func `An unknown value of such a variable is an error that names it`(_ name: String, _ value: String) throws {
    let outcome = try run([name: value], "list")
    expectFailure(outcome, Status.notAvailable)
    #expect(outcome.errors.contains(name) && outcome.errors.contains("set it to"), "\(outcome)")
  }

  @Test func `A vault on disk ignores these variables`() throws {
    let items = try ProtectedItems()
    let variables = ["COFFER_MEMORY_PROMPT": "approve", "COFFER_MEMORY_TEAM": "AB01234589"]
    for account in ["present", "secret"] {
      expectFailure(try items.notes.run("get", account, environment: variables), Status.interactionNotAllowed)
    }
    let group = try "\(items.machine.group("notes")) service open"
    #expect(try items.notes.run("list", environment: variables).text.contains(group))
    expectFailure(
      try items.notes.run("--group", "AB01234589.com.example.notes", "get", "open", environment: variables),
      Status.missingEntitlement)
    // Not even an unknown value is an error there.
    let odd = try items.notes.run("get", "open", environment: ["COFFER_MEMORY_PROMPT": "maybe"])
    #expect(odd.exitCode == 0, "\(odd)")
  }

  @Test func `A test runner uses the plist with the name of its package's tests`() throws {
    let machine = try emptyMachine()
    let program = machine.directory.path("AppPackageTests.xctest")
    try Command.run(
      "sh", "-c", "ln \"$1\" \"$2\" || cp \"$1\" \"$2\"", "sh", Machine.path(of: "KeychainProgram"), program)
    func group(_ environment: [String: String] = [:]) throws -> String {
      let outcome = try machine.run(
        program, "round-trip", "jane", input: Data("v".utf8), environment: memory.merging(environment) { $1 })
      return outcome.text.components(separatedBy: "\n").last?.components(separatedBy: " ").first ?? "\(outcome)"
    }
    func write(_ name: String, _ group: String) throws -> String {
      try machine.directory.write(name, entitlementsPlist("com.example.app", groups: ["~com.example.\(group)"]))
    }
    // Files of other programs are not found.
    try _ = write("AppPackage.entitlements", "wrong")
    #expect(try group().contains(".coffer.memory.x"))
    let named = ["COFFER_ENTITLEMENTS": try write("other.plist", "named")]
    #expect(try group(named).hasSuffix(".com.example.named"))
    try _ = write("AppPackageTests.entitlements", "package")
    #expect(try group(named).hasSuffix(".com.example.package"))
    #expect(try group().hasSuffix(".com.example.package"))
    try _ = write("AppPackageTests.xctest.entitlements", "runner")
    #expect(try group().hasSuffix(".com.example.runner"))
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
    #expect(try machine.status("itemCount") == "1")
  }
}
