import CofferTestSupport
import Foundation
import Testing

@Suite struct LockedVaultTests {
  private let items: ProtectedItems
  private var app: InstalledApp { items.locked }

  init() throws { items = try ProtectedItems() }

  @Test func `Without a prompter every call fails because the vault is locked`() throws {
    for (arguments, call) in [
      (["add", "john"], "SecItemAdd"), (["get", "jane"], "SecItemCopyMatching"), (["list"], "SecItemCopyMatching"),
      (["update", "jane"], "SecItemUpdate"), (["delete", "jane"], "SecItemDelete"),
    ] {
      let outcome = try items.machine.start(app.program, arguments, input: Data("canary".utf8)).wait()
      expectFailure(outcome, Status.interactionNotAllowed, of: call, "locked")
      #expect(!outcome.errors.contains("canary"))
    }
  }

  @Test func `With a prompter the passphrase unlocks it, once per process`() throws {
    let dialog = try ScriptedPinentry(.text(ProtectedItems.passphrase))
    #expect(try app.succeed("--pinentry", dialog.program, "get", "jane", "jane") == "v\nv")
    #expect(try dialog.askedCount == 1)
    for (arguments, input) in [(["update", "jane"], "w"), (["add", "john"], "x"), (["delete", "john"], "")] {
      let dialog = try ScriptedPinentry(.text(ProtectedItems.passphrase))
      try items.machine.succeed(app.program, ["--pinentry", dialog.program] + arguments, input: input)
    }
    let again = try ScriptedPinentry(.text("wrong"), .text(ProtectedItems.passphrase))
    #expect(try app.succeed("--pinentry", again.program, "get", "jane") == "w")
    #expect(try again.askedCount == 2)
  }

  @Test func `At a terminal the passphrase is typed without being shown`() throws {
    let terminal = try app.atTerminal("--terminal", "get", "jane")
    try terminal.await("Passphrase: ")
    terminal.type("\(ProtectedItems.passphrase)\n")
    #expect(terminal.wait() == 0, "\(terminal.screen)")
    #expect(terminal.screen.hasSuffix("v\r\n") && !terminal.screen.contains("horse"))
  }

  @Test func `Cancelling or a wrong passphrase does not unlock it`() throws {
    let cancelled = try ScriptedPinentry(.cancel)
    expectFailure(try app.run("--pinentry", cancelled.program, "get", "jane"), Status.userCanceled)
    let wrong = try ScriptedPinentry(.text("a"), .text("b"), .text("c"), .text(ProtectedItems.passphrase))
    expectFailure(try app.run("--pinentry", wrong.program, "get", "jane"), Status.authFailed)
    #expect(try wrong.askedCount == 3)
  }

  @Test(arguments: ["--silent", "--fail"])
  func `Calls that forbid prompts do not prompt`(option: String) throws {
    let dialog = try ScriptedPinentry(.text(ProtectedItems.passphrase))
    expectFailure(
      try app.run("--pinentry", dialog.program, option, "get", "jane"), Status.interactionNotAllowed,
      "does not allow prompts")
    #expect(try dialog.askedCount == 0)
  }
}
