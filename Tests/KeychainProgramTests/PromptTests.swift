import CofferTestSupport
import Foundation
import Testing

@Suite("Items for which somebody is asked, by a dialog")
struct DialogTests {
  private let items: GuardedItems
  private var notes: App { items.notes }

  init() throws { items = try GuardedItems() }

  @Test("An item under presence is read after the owner's passphrase, and the app's reason is shown")
  func presence() throws {
    let dialog = try Dialog(.text(GuardedItems.passphrase))
    let reason = "to show the diary"
    #expect(
      try notes.succeed("--pinentry", dialog.program, "--reason", reason, "get", "present") == "for the owner")
    #expect(try dialog.askedCount == 1)
    #expect(try dialog.spoken.contains("SETDESC \(reason)"))
    #expect(try dialog.spoken.contains("SETPROMPT Passphrase:"))
  }

  @Test("An item under a password is read with it")
  func password() throws {
    let dialog = try Dialog(.text(GuardedItems.password))
    #expect(try notes.succeed("--pinentry", dialog.program, "get", "secret") == "for who has the password")
    #expect(try dialog.askedCount == 1)
    #expect(try dialog.spoken.contains("SETPROMPT Password:"))
  }

  @Test("An item may need both, and then is asked for both")
  func both() throws {
    try notes.succeed("--presence", "--password", "--given", items.passwordFile, "add", "both", input: "v")
    let dialog = try Dialog(.text(GuardedItems.passphrase), .text(GuardedItems.password))
    #expect(try notes.succeed("--pinentry", dialog.program, "get", "both") == "v")
    #expect(try dialog.askedCount == 2)
    let half = try Dialog(.text(GuardedItems.passphrase), .cancel)
    expectFailure(try notes.run("--pinentry", half.program, "get", "both"), Status.userCanceled)
  }

  @Test("The password that an item is added with can be asked for, twice; without it nothing is added")
  func passwordAtAdding() throws {
    let dialog = try Dialog(.text("another"), .text("mistyped"), .text("another"), .text("another"))
    try notes.succeed("--password", "--pinentry", dialog.program, "add", "later", input: "v")
    #expect(try dialog.askedCount == 4)
    #expect(try dialog.spoken.filter { $0.hasPrefix("SETERROR") }.count == 1)
    let file = try items.machine.directory.write("another", "another")
    #expect(try notes.succeed("--given", file, "get", "later") == "v")
    expectFailure(
      try notes.run("--password", "add", "never", input: "v"), Status.interactionNotAllowed, of: "SecItemAdd")
    expectFailure(try notes.run("get", "never"), Status.itemNotFound)
  }

  @Test("A program without a prompter reads what is open, and for the rest is told that nobody could be asked")
  func noPrompter() throws {
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

  @Test("Somebody who cancels is errSecUserCanceled", arguments: ["present", "secret"])
  func cancelled(account: String) throws {
    let dialog = try Dialog(.cancel, .text(GuardedItems.passphrase))
    expectFailure(try notes.run("--pinentry", dialog.program, "get", account), Status.userCanceled)
    #expect(try dialog.askedCount == 1)
  }

  @Test("A passphrase may be wrong twice; after the third time the call has failed")
  func wrongPassphrase() throws {
    let better = try Dialog(.text("canary-wrong"), .text("canary-worse"), .text(GuardedItems.passphrase))
    #expect(try notes.succeed("--pinentry", better.program, "get", "present") == "for the owner")
    #expect(try better.askedCount == 3)
    #expect(try better.spoken.filter { $0.hasPrefix("SETERROR") }.count == 2)

    let hopeless = try Dialog(.text("canary-a"), .text("canary-b"), .text("canary-c"), .text(GuardedItems.passphrase))
    let outcome = try notes.run("--pinentry", hopeless.program, "get", "present")
    expectFailure(outcome, Status.authFailed)
    #expect(!outcome.errors.contains("canary"))
    #expect(try hopeless.askedCount == 3)
  }

  @Test("A wrong password of an item is errSecAuthFailed, whether it was asked for or given")
  func wrongPassword() throws {
    let dialog = try Dialog(.text("canary-a"), .text("canary-b"), .text("canary-c"))
    let asked = try notes.run("--pinentry", dialog.program, "get", "secret")
    expectFailure(asked, Status.authFailed)
    let file = try items.machine.directory.write("wrong", "canary-d")
    let given = try notes.run("--given", file, "get", "secret")
    expectFailure(given, Status.authFailed)
    for outcome in [asked, given] { #expect(!outcome.errors.contains("canary")) }
  }

  @Test("A password that the context was given needs no asking")
  func given() throws {
    let dialog = try Dialog(.text("never"))
    #expect(
      try notes.succeed("--pinentry", dialog.program, "--given", items.passwordFile, "get", "secret")
        == "for who has the password")
    #expect(try notes.succeed("--given", items.passwordFile, "get", "secret") == "for who has the password")
    #expect(try dialog.askedCount == 0)
  }

  @Test("Calls that may ask nobody fail, and ask nobody", arguments: ["--silent", "--fail"])
  func silent(option: String) throws {
    let dialog = try Dialog(.text("never"))
    for account in ["present", "secret"] {
      let outcome = try notes.run("--pinentry", dialog.program, option, "get", account)
      expectFailure(outcome, Status.interactionNotAllowed)
    }
    #expect(try notes.succeed("--pinentry", dialog.program, option, "get", "open") == "for everybody")
    #expect(try dialog.askedCount == 0)
  }

  @Test("Calls that skip leave out what would have to be asked for")
  func skipped() throws {
    let dialog = try Dialog(.text("never"))
    for account in ["present", "secret"] {
      expectFailure(try notes.run("--pinentry", dialog.program, "--skip", "get", account), Status.itemNotFound)
    }
    #expect(try notes.succeed("--pinentry", dialog.program, "--skip", "get", "open") == "for everybody")
    #expect(try notes.succeed("--pinentry", dialog.program, "--skip", "values") == "open for everybody")
    // Attributes alone are seen without proof.
    #expect(try notes.succeed("--skip", "list") == notes.succeed("list"))
    #expect(try notes.succeed("list").components(separatedBy: "\n").count == 4)
    #expect(try dialog.askedCount == 0)
  }

  @Test("Calls that share a context ask once; calls that do not, each time")
  func context() throws {
    let values = "for the owner\nfor the owner, too"
    let alone = try Dialog(.text(GuardedItems.passphrase), .text(GuardedItems.passphrase))
    #expect(try notes.succeed("--pinentry", alone.program, "get", "present", "present-too") == values)
    #expect(try alone.askedCount == 2)
    let together = try Dialog(.text(GuardedItems.passphrase))
    #expect(try notes.succeed("--pinentry", together.program, "--context", "get", "present", "present-too") == values)
    #expect(try together.askedCount == 1)
    let password = try Dialog(.text(GuardedItems.password))
    #expect(
      try notes.succeed("--pinentry", password.program, "--context", "get", "secret", "secret")
        == "for who has the password\nfor who has the password")
    #expect(try password.askedCount == 1)
  }

  @Test("A call for the values of several items asks for each secret once, and fails as a whole")
  func severalValues() throws {
    let dialog = try Dialog(.text(GuardedItems.passphrase), .text(GuardedItems.password))
    let values = [
      "open for everybody", "present for the owner", "present-too for the owner, too",
      "secret for who has the password",
    ]
    #expect(
      try notes.succeed("--pinentry", dialog.program, "values") == values.joined(separator: "\n"))
    #expect(try dialog.askedCount == 2)
    expectFailure(try notes.run("values"), Status.interactionNotAllowed)
    let declined = try Dialog(.cancel)
    expectFailure(try notes.run("--pinentry", declined.program, "values"), Status.userCanceled)
  }

  @Test("Without a passphrase on the machine an item cannot be put under one")
  func noPassphrase() throws {
    let machine = try Machine()
    try machine.makeVault()
    let app = try App("app", on: machine)
    let dialog = try Dialog(.text("never"))
    let arguments = ["--pinentry", dialog.program, "--accessible", "akpu", "--presence", "add", "jane"]
    let outcome = try machine.start(app.program, arguments, input: Data("v".utf8)).wait()
    expectFailure(outcome, Status.authFailed, of: "SecItemAdd")
    #expect(try app.succeed("list") == "")
    #expect(try dialog.askedCount == 0)
  }
}

@Suite("Items for which somebody is asked, at a terminal")
struct TerminalTests {
  private let items: GuardedItems

  init() throws { items = try GuardedItems() }

  @Test("The passphrase is typed without being shown; a wrong one is said to be")
  func passphrase() throws {
    let terminal = try items.notes.atTerminal("--terminal", "--reason", "to show the diary", "get", "present")
    try terminal.await("to show the diary")
    try terminal.await("Passphrase: ")
    terminal.type("canary-battery\n")
    try terminal.await("Wrong passphrase. Try again.")
    try terminal.await("Passphrase: ")
    terminal.type("\(GuardedItems.passphrase)\n")
    #expect(terminal.wait() == 0, "\(terminal.screen)")
    #expect(terminal.screen.hasSuffix("for the owner\r\n"))
    #expect(!terminal.screen.contains("canary") && !terminal.screen.contains("horse"))
  }

  @Test("An item's password is typed without being shown")
  func password() throws {
    let terminal = try items.notes.atTerminal("--terminal", "get", "secret")
    try terminal.await("Password: ")
    terminal.type("\(GuardedItems.password)\n")
    #expect(terminal.wait() == 0, "\(terminal.screen)")
    #expect(terminal.screen.hasSuffix("for who has the password\r\n"))
    #expect(!terminal.screen.contains(GuardedItems.password))
  }

  @Test("GnuPG's own dialog asks at the terminal, and again after a wrong passphrase")
  func pinentry() throws {
    let terminal = try items.notes.atTerminal(
      "--pinentry", "pinentry-tty", "--reason", "to show the diary", "get", "present")
    try terminal.await("to show the diary")
    try terminal.await("Passphrase: ")
    terminal.type("canary-battery\n")
    try terminal.await("Wrong passphrase. Try again.")
    try terminal.await("Passphrase: ")
    terminal.type("\(GuardedItems.passphrase)\n")
    #expect(terminal.wait() == 0, "\(terminal.screen)")
    #expect(terminal.screen.hasSuffix("for the owner\r\n"))
    #expect(!terminal.screen.contains("canary") && !terminal.screen.contains("horse"))
  }

  @Test("Ctrl-C and Ctrl-D cancel", arguments: [("present", "\u{3}"), ("secret", "half\u{4}")])
  func cancelled(account: String, keys: String) throws {
    let terminal = try items.notes.atTerminal("--terminal", "get", account)
    try terminal.await(account == "present" ? "Passphrase: " : "Password: ")
    terminal.type(keys)
    #expect(terminal.wait() == 1)
    #expect(terminal.screen.contains("SecItemCopyMatching: \(Status.userCanceled) "), "\(terminal.screen)")
  }

  @Test("A program that is to ask at its terminal, and has none, is told that nobody could be asked")
  func noTerminal() throws {
    // A session of its own has no controlling terminal.
    let outcome = try items.machine.start(
      items.notes.program, ["--terminal", "get", "present"], wrapper: ["setsid", "--wait"]
    ).wait()
    expectFailure(outcome, Status.interactionNotAllowed)
  }
}
