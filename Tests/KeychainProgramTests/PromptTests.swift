import CofferTestSupport
import Foundation
import Testing

@Suite struct PinentryPromptTests {
  private let items: ProtectedItems
  private var notes: InstalledApp { items.notes }

  init() throws { items = try ProtectedItems() }

  @Test func `An item under user presence is read after the owner's passphrase, with the app's reason shown`() throws {
    let dialog = try ScriptedPinentry(.text(ProtectedItems.passphrase))
    let reason = "to show the diary"
    #expect(
      try notes.succeed("--pinentry", dialog.program, "--reason", reason, "get", "present") == "for the owner")
    #expect(try dialog.askedCount == 1)
    #expect(try dialog.spoken.contains("SETDESC \(reason)"))
    #expect(try dialog.spoken.contains("SETPROMPT Passphrase:"))
  }

  @Test func `An item under an application password is read with it`() throws {
    let dialog = try ScriptedPinentry(.text(ProtectedItems.password))
    #expect(try notes.succeed("--pinentry", dialog.program, "get", "secret") == "for who has the password")
    #expect(try dialog.askedCount == 1)
    #expect(try dialog.spoken.contains("SETPROMPT Password:"))
  }

  @Test func `An item may need both, and both are requested`() throws {
    try notes.succeed("--presence", "--password", "--given", items.passwordFile, "add", "both", input: "v")
    let dialog = try ScriptedPinentry(.text(ProtectedItems.passphrase), .text(ProtectedItems.password))
    #expect(try notes.succeed("--pinentry", dialog.program, "get", "both") == "v")
    #expect(try dialog.askedCount == 2)
    let half = try ScriptedPinentry(.text(ProtectedItems.passphrase), .cancel)
    expectFailure(try notes.run("--pinentry", half.program, "get", "both"), Status.userCanceled)
  }

  @Test func `A new item's password can be requested, twice; without it nothing is added`() throws {
    let dialog = try ScriptedPinentry(.text("another"), .text("mistyped"), .text("another"), .text("another"))
    try notes.succeed("--password", "--pinentry", dialog.program, "add", "later", input: "v")
    #expect(try dialog.askedCount == 4)
    #expect(try dialog.spoken.filter { $0.hasPrefix("SETERROR") }.count == 1)
    let file = try items.machine.directory.write("another", "another")
    #expect(try notes.succeed("--given", file, "get", "later") == "v")
    expectFailure(
      try notes.run("--password", "add", "never", input: "v"), Status.interactionNotAllowed, of: "SecItemAdd")
    expectFailure(try notes.run("get", "never"), Status.itemNotFound)
  }

  @Test func `Without a prompter a program reads unprotected items, and others fail with that reason`() throws {
    #expect(try notes.succeed("get", "open") == "for everybody")
    for account in ["present", "secret"] {
      expectFailure(try notes.run("get", account), Status.interactionNotAllowed)
    }
    let missing = ["--pinentry", "/nowhere/pinentry"]
    for account in ["present", "secret"] {
      let outcome = try items.machine.start(notes.program, missing + ["get", account]).wait()
      expectFailure(outcome, Status.interactionNotAllowed)
    }
  }

  @Test(arguments: ["present", "secret"])
  func `Cancelling is errSecUserCanceled`(account: String) throws {
    let dialog = try ScriptedPinentry(.cancel, .text(ProtectedItems.passphrase))
    expectFailure(try notes.run("--pinentry", dialog.program, "get", account), Status.userCanceled)
    #expect(try dialog.askedCount == 1)
  }

  @Test func `A passphrase may be wrong twice; after the third time the call fails`() throws {
    let better = try ScriptedPinentry(.text("canary-wrong"), .text("canary-worse"), .text(ProtectedItems.passphrase))
    #expect(try notes.succeed("--pinentry", better.program, "get", "present") == "for the owner")
    #expect(try better.askedCount == 3)
    #expect(try better.spoken.filter { $0.hasPrefix("SETERROR") }.count == 2)

    let hopeless = try ScriptedPinentry(
      .text("canary-a"), .text("canary-b"), .text("canary-c"), .text(ProtectedItems.passphrase))
    let outcome = try notes.run("--pinentry", hopeless.program, "get", "present")
    expectFailure(outcome, Status.authFailed)
    #expect(!outcome.errors.contains("canary"))
    #expect(try hopeless.askedCount == 3)
  }

  @Test func `An item's wrong password is errSecAuthFailed, whether it was typed or passed`() throws {
    let dialog = try ScriptedPinentry(.text("canary-a"), .text("canary-b"), .text("canary-c"))
    let asked = try notes.run("--pinentry", dialog.program, "get", "secret")
    expectFailure(asked, Status.authFailed)
    let file = try items.machine.directory.write("wrong", "canary-d")
    let given = try notes.run("--given", file, "get", "secret")
    expectFailure(given, Status.authFailed)
    for outcome in [asked, given] { #expect(!outcome.errors.contains("canary")) }
  }

  @Test func `A password that was set on the context needs no prompt`() throws {
    let dialog = try ScriptedPinentry(.text("never"))
    #expect(
      try notes.succeed("--pinentry", dialog.program, "--given", items.passwordFile, "get", "secret")
        == "for who has the password")
    #expect(try notes.succeed("--given", items.passwordFile, "get", "secret") == "for who has the password")
    #expect(try dialog.askedCount == 0)
  }

  @Test(arguments: ["--silent", "--fail"])
  func `Calls that forbid prompts fail without a prompt`(option: String) throws {
    let dialog = try ScriptedPinentry(.text("never"))
    for account in ["present", "secret"] {
      let outcome = try notes.run("--pinentry", dialog.program, option, "get", account)
      expectFailure(outcome, Status.interactionNotAllowed)
    }
    #expect(try notes.succeed("--pinentry", dialog.program, option, "get", "open") == "for everybody")
    #expect(try dialog.askedCount == 0)
  }

  @Test func `Calls that skip prompts leave out the items that need one`() throws {
    let dialog = try ScriptedPinentry(.text("never"))
    for account in ["present", "secret"] {
      expectFailure(try notes.run("--pinentry", dialog.program, "--skip", "get", account), Status.itemNotFound)
    }
    #expect(try notes.succeed("--pinentry", dialog.program, "--skip", "get", "open") == "for everybody")
    #expect(try notes.succeed("--pinentry", dialog.program, "--skip", "values") == "open for everybody")
    // Attributes alone are returned without authentication.
    #expect(try notes.succeed("--skip", "list") == notes.succeed("list"))
    #expect(try notes.succeed("list").components(separatedBy: "\n").count == 4)
    #expect(try dialog.askedCount == 0)
  }

  @Test func `Calls that share a context prompt once; other calls prompt each time`() throws {
    let values = "for the owner\nfor the owner, too"
    let alone = try ScriptedPinentry(.text(ProtectedItems.passphrase), .text(ProtectedItems.passphrase))
    #expect(try notes.succeed("--pinentry", alone.program, "get", "present", "present-too") == values)
    #expect(try alone.askedCount == 2)
    let together = try ScriptedPinentry(.text(ProtectedItems.passphrase))
    #expect(try notes.succeed("--pinentry", together.program, "--context", "get", "present", "present-too") == values)
    #expect(try together.askedCount == 1)
    let password = try ScriptedPinentry(.text(ProtectedItems.password))
    #expect(
      try notes.succeed("--pinentry", password.program, "--context", "get", "secret", "secret")
        == "for who has the password\nfor who has the password")
    #expect(try password.askedCount == 1)
  }

  @Test func `A call for several values prompts for each secret once, and fails as a whole`() throws {
    let dialog = try ScriptedPinentry(.text(ProtectedItems.passphrase), .text(ProtectedItems.password))
    let values = [
      "open for everybody", "present for the owner", "present-too for the owner, too",
      "secret for who has the password",
    ]
    #expect(
      try notes.succeed("--pinentry", dialog.program, "values") == values.joined(separator: "\n"))
    #expect(try dialog.askedCount == 2)
    expectFailure(try notes.run("values"), Status.interactionNotAllowed)
    let declined = try ScriptedPinentry(.cancel)
    expectFailure(try notes.run("--pinentry", declined.program, "values"), Status.userCanceled)
  }

  @Test func `On a machine without a passphrase an item cannot be protected by it`() throws {
    let machine = try Machine()
    try machine.makeVault()
    let app = try InstalledApp("app", on: machine)
    let dialog = try ScriptedPinentry(.text("never"))
    let arguments = ["--pinentry", dialog.program, "--accessible", "akpu", "--presence", "add", "jane"]
    let outcome = try machine.start(app.program, arguments, input: Data("v".utf8)).wait()
    expectFailure(outcome, Status.authFailed, of: "SecItemAdd")
    #expect(try app.succeed("list") == "")
    #expect(try dialog.askedCount == 0)
  }
}

@Suite struct TerminalPromptTests {
  private let items: ProtectedItems

  init() throws { items = try ProtectedItems() }

  @Test func `The passphrase is typed without being shown, and a wrong one is reported`() throws {
    let terminal = try items.notes.atTerminal("--terminal", "--reason", "to show the diary", "get", "present")
    try terminal.await("to show the diary")
    try terminal.await("Passphrase: ")
    terminal.type("canary-battery\n")
    try terminal.await("Wrong passphrase. Try again.")
    try terminal.await("Passphrase: ")
    terminal.type("\(ProtectedItems.passphrase)\n")
    #expect(terminal.wait() == 0, "\(terminal.screen)")
    #expect(terminal.screen.hasSuffix("for the owner\r\n"))
    #expect(!terminal.screen.contains("canary") && !terminal.screen.contains("horse"))
  }

  @Test func `An item's password is typed without being shown`() throws {
    let terminal = try items.notes.atTerminal("--terminal", "get", "secret")
    try terminal.await("Password: ")
    terminal.type("\(ProtectedItems.password)\n")
    #expect(terminal.wait() == 0, "\(terminal.screen)")
    #expect(terminal.screen.hasSuffix("for who has the password\r\n"))
    #expect(!terminal.screen.contains(ProtectedItems.password))
  }

  @Test func `GnuPG's own pinentry prompts at the terminal, and again after a wrong passphrase`() throws {
    let terminal = try items.notes.atTerminal(
      "--pinentry", "pinentry-tty", "--reason", "to show the diary", "get", "present")
    try terminal.await("to show the diary")
    try terminal.await("Passphrase: ")
    terminal.type("canary-battery\n")
    try terminal.await("Wrong passphrase. Try again.")
    try terminal.await("Passphrase: ")
    terminal.type("\(ProtectedItems.passphrase)\n")
    #expect(terminal.wait() == 0, "\(terminal.screen)")
    #expect(terminal.screen.hasSuffix("for the owner\r\n"))
    #expect(!terminal.screen.contains("canary") && !terminal.screen.contains("horse"))
  }

  @Test(arguments: [("present", "\u{3}"), ("secret", "half\u{4}")])
  func `Ctrl-C and Ctrl-D cancel`(account: String, keys: String) throws {
    let terminal = try items.notes.atTerminal("--terminal", "get", account)
    try terminal.await(account == "present" ? "Passphrase: " : "Password: ")
    terminal.type(keys)
    #expect(terminal.wait() == 1)
    #expect(terminal.screen.contains("SecItemCopyMatching: \(Status.userCanceled) "), "\(terminal.screen)")
  }

  @Test func `A program that should prompt at its terminal, and has none, fails with that reason`() throws {
    // A new session has no controlling terminal.
    let outcome = try items.machine.start(
      items.notes.program, ["--terminal", "get", "present"], wrapper: ["setsid", "--wait"]
    ).wait()
    expectFailure(outcome, Status.interactionNotAllowed)
  }
}
