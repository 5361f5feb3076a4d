import CofferTestSupport
import Foundation
import Testing

/// Prompts of an app on a vault in a folder that a test answers, as in a CI job.
@Suite struct PreparedPromptTests {
  private let items: ProtectedItems
  private let secrets: [String: String]

  init() throws {
    items = try ProtectedItems()
    let directory = items.machine.directory
    secrets = [
      "COFFER_PASSPHRASE_FILE": try directory.write("owner", ProtectedItems.passphrase + "\n"),
      "COFFER_ITEM_PASSWORD_FILE": try directory.write("items", "another password\n\(ProtectedItems.password)\n"),
    ]
    for path in secrets.values { try Command.run("chmod", "600", path) }
  }

  private func run(_ prompts: String?, _ arguments: String..., more: [String: String] = [:]) throws -> Machine.Outcome {
    var environment = secrets.merging(more) { $1 }
    environment["COFFER_PROMPT"] = prompts
    return try items.machine.start(items.notes.program, arguments, input: Data("v".utf8), environment: environment)
      .wait()
  }

  @Test func `approve answers with the passphrase, and for an item with its own password`() throws {
    let outcome = try run("approve", "get", "present", "secret")
    #expect(outcome.text == "for the owner\nfor who has the password", "\(outcome)")
    let new = try run("approve", "--password", "round-trip", "new")
    #expect(new.exitCode == 0 && new.text.hasPrefix("v\n"), "\(new)")
    // A new item without a password of its own in the files has the first one.
    #expect(try run("approve", "--password", "add", "kept").exitCode == 0)
    let password = try items.machine.directory.write("first", "another password")
    #expect(try items.notes.succeed("--given", password, "get", "kept") == "v")
  }

  @Test func `A locked app is unlocked with the passphrase`() throws {
    func get(_ environment: [String: String]) throws -> Machine.Outcome {
      try items.machine.start(items.locked.program, ["get", "jane"], environment: environment).wait()
    }
    let outcome = try get(secrets.merging(["COFFER_PROMPT": "approve"]) { $1 })
    #expect(outcome.text == "v", "\(outcome)")
    expectFailure(try get(secrets), Status.interactionNotAllowed)
  }

  @Test func `Prompts are cancelled, failed and approved in turn, and calls that forbid them still fail`() throws {
    expectFailure(try run("cancel", "get", "present"), Status.userCanceled)
    expectFailure(try run("fail", "get", "secret"), Status.authFailed)
    let mixed = try run("approve,cancel", "get", "present", "secret")
    #expect(mixed.exitCode == 1 && mixed.text == "for the owner", "\(mixed)")
    #expect(mixed.errors.hasPrefix("SecItemCopyMatching: \(Status.userCanceled) "), "\(mixed)")
    expectFailure(try run("approve", "--fail", "get", "present"), Status.interactionNotAllowed)
  }

  @Test func `Without the variable the files answer nothing, and a program's own prompter has precedence`() throws {
    for account in ["present", "secret"] {
      expectFailure(try run(nil, "get", account), Status.interactionNotAllowed)
      expectFailure(try run("", "get", account), Status.interactionNotAllowed)
    }
    expectFailure(
      try run("approve", "--pinentry", "/nowhere/pinentry", "get", "present"), Status.interactionNotAllowed)
  }

  @Test func `A wrong passphrase fails, and what is missing or unreadable is named`() throws {
    let directory = items.machine.directory
    let wrong = try directory.write("wrong", "wrong")
    try Command.run("chmod", "600", wrong)
    expectFailure(
      try run("approve", "get", "present", more: ["COFFER_PASSPHRASE_FILE": wrong]), Status.authFailed)
    expectFailure(
      try run("approve", "get", "secret", more: ["COFFER_ITEM_PASSWORD_FILE": wrong]), Status.authFailed)
    let missing = try run("approve", "get", "present", more: ["COFFER_PASSPHRASE_FILE": ""])
    expectFailure(missing, Status.interactionNotAllowed)
    #expect(missing.errors.contains("COFFER_PASSPHRASE_FILE"), "\(missing)")
    let absent = try run("approve", "get", "present", more: ["COFFER_PASSPHRASE_FILE": "/nowhere/file"])
    expectFailure(absent, Status.interactionNotAllowed)
    #expect(absent.errors.contains("/nowhere/file"), "\(absent)")
    let unknown = try run("maybe", "get", "present")
    expectFailure(unknown, Status.interactionNotAllowed)
    #expect(unknown.errors.contains("COFFER_PROMPT") && unknown.errors.contains("set it to approve"), "\(unknown)")
    try Command.run("chmod", "644", wrong)
    let exposed = try run("approve", "get", "present", more: ["COFFER_PASSPHRASE_FILE": wrong])
    expectFailure(exposed, Status.interactionNotAllowed)
    #expect(exposed.errors.contains("chmod 600") && !exposed.errors.contains(ProtectedItems.passphrase), "\(exposed)")
  }
}
