import CofferTestSupport
import Foundation
import Testing

@Suite("An app whose vault is locked")
struct LockedVaultTests {
  private let items: GuardedItems
  private var app: App { items.locked }

  init() throws { items = try GuardedItems() }

  @Test("Without a prompter every call is told that the vault is locked")
  func noPrompter() throws {
    for (arguments, call) in [
      (["add", "john"], "SecItemAdd"), (["get", "jane"], "SecItemCopyMatching"), (["list"], "SecItemCopyMatching"),
      (["update", "jane"], "SecItemUpdate"), (["delete", "jane"], "SecItemDelete"),
    ] {
      let outcome = try items.machine.start(app.program, arguments, input: Data("canary".utf8)).wait()
      expectFailure(outcome, Status.interactionNotAllowed, of: call, "locked")
      #expect(!outcome.errors.contains("canary"))
    }
  }

  @Test("With a prompter the passphrase unlocks it, once for a process")
  func unlocked() throws {
    let dialog = try Dialog(.text(GuardedItems.passphrase))
    #expect(try app.succeed("--pinentry", dialog.program, "get", "jane", "jane") == "v\nv")
    #expect(try dialog.askedCount == 1)
    for (arguments, input) in [(["update", "jane"], "w"), (["add", "john"], "x"), (["delete", "john"], "")] {
      let dialog = try Dialog(.text(GuardedItems.passphrase))
      try items.machine.succeed(app.program, ["--pinentry", dialog.program] + arguments, input: input)
    }
    let again = try Dialog(.text("wrong"), .text(GuardedItems.passphrase))
    #expect(try app.succeed("--pinentry", again.program, "get", "jane") == "w")
    #expect(try again.askedCount == 2)
  }

  @Test("At a terminal the passphrase is typed without being shown")
  func terminal() throws {
    let terminal = try app.atTerminal("--terminal", "get", "jane")
    try terminal.await("Passphrase: ")
    terminal.type("\(GuardedItems.passphrase)\n")
    #expect(terminal.wait() == 0, "\(terminal.screen)")
    #expect(terminal.screen.hasSuffix("v\r\n") && !terminal.screen.contains("horse"))
  }

  @Test("Who cancels, or does not know the passphrase, does not unlock it")
  func refused() throws {
    let cancelled = try Dialog(.cancel)
    expectFailure(try app.run("--pinentry", cancelled.program, "get", "jane"), Status.userCanceled)
    let wrong = try Dialog(.text("a"), .text("b"), .text("c"), .text(GuardedItems.passphrase))
    expectFailure(try app.run("--pinentry", wrong.program, "get", "jane"), Status.authFailed)
    #expect(try wrong.askedCount == 3)
  }

  @Test("Calls that may ask nobody ask nobody", arguments: ["--silent", "--fail"])
  func silent(option: String) throws {
    let dialog = try Dialog(.text(GuardedItems.passphrase))
    expectFailure(
      try app.run("--pinentry", dialog.program, option, "get", "jane"), Status.interactionNotAllowed,
      "does not allow prompts")
    #expect(try dialog.askedCount == 0)
  }
}
