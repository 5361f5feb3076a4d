import CofferTestSupport
import Foundation
import Testing

/// The environment variable `COFFER_EXPLAIN`.
@Suite struct ExplanationTests {
  private let machine: Machine
  private let reminders: String
  private let explain = ["COFFER_EXPLAIN": "1"]

  init() throws {
    machine = try Machine()
    reminders = machine.directory.path("Reminders")
    try Command.run(
      "sh", "-c", "ln \"$1\" \"$2\" || cp \"$1\" \"$2\"", "sh", Machine.path(of: "Reminders"), reminders)
  }

  private func installPlist() throws {
    let plist = DocumentationPage.root.appending(path: "Tests/DocumentationApps/Adoption/Reminders.entitlements")
    try Command.run("cp", plist.path, "\(reminders).entitlements")
  }

  private func load(_ environment: [String: String], wrapper: [String] = []) throws -> Machine.Outcome {
    try machine.run(reminders, "load", "jane", environment: environment, wrapper: wrapper)
  }

  @Test func `COFFER_EXPLAIN=1 writes the cause of each failing call to standard error, and nothing else does`() throws
  {
    let expected: [(prepare: () throws -> Void, call: String)] = [
      ({}, "SecItemCopyMatching: A required entitlement isn't present. (-34018: this program has no entitlements"),
      (
        { try machine.makeVault() },
        "SecItemCopyMatching: A required entitlement isn't present. (-34018: this program has no entitlements"
      ),
      (installPlist, "has the prefix ABCDE12345. of another team"),
      (
        { try machine.coffer("app", "add", "--source-prefix", "ABCDE12345", "\(reminders).entitlements") },
        "SecItemCopyMatching: The specified item could not be found in the keychain. (-25300: "
      ),
      (
        { try FileManager.default.removeItem(at: machine.vault.appending(path: "apps")) },
        "has no credential on this machine; give it one with: coffer app install"
      ),
    ]
    for step in expected {
      try step.prepare()
      let explained = try load(explain)
      #expect(explained.errors.contains(step.call), "\(explained)")
      #expect(explained.errors.split(separator: "\n").count == 1, "\(explained)")
      for environment in [[:], ["COFFER_EXPLAIN": "0"]] {
        let silent = try load(environment)
        #expect(silent.errors.isEmpty && silent.output == explained.output, "\(silent)")
      }
    }
  }

  @Test func `The line is in one piece on a terminal, and contains no value`() throws {
    try machine.makeVault()
    try installPlist()
    try machine.coffer("app", "add", "--source-prefix", "ABCDE12345", "\(reminders).entitlements")
    machine.environment["COFFER_EXPLAIN"] = "1"
    let save = try machine.start(reminders, ["save", "jane"], input: Data("canary\n".utf8)).wait()
    #expect(save.exitCode == 0, "\(save)")
    // The app updates first, and adds the item that does not exist.
    #expect(save.errors.hasPrefix("SecItemUpdate: ") && !save.errors.contains("canary"), "\(save)")
    let terminal = try PseudoTerminal(machine, program: reminders, ["load", "john"])
    #expect(terminal.wait() == 0)
    #expect(
      terminal.screen.contains("SecItemCopyMatching: The specified item could not be found"), "\(terminal.screen)")
  }

  #if os(Linux)
    @Test(.enabled(if: geteuid() == 0, "only root can start a program for another group"))
    func `A program with elevated privileges ignores COFFER_EXPLAIN`() throws {
      let elevated = try load(explain, wrapper: ["setpriv", "--rgid=65534", "--keep-groups"])
      #expect(elevated.errors.isEmpty && !elevated.output.isEmpty, "\(elevated)")
      #expect(try !load(explain).errors.isEmpty)
    }
  #endif
}
