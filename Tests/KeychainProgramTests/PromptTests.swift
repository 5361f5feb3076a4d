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

/// Programs that find the dialog program themselves, without a terminal.
@Suite struct DesktopPromptTests {
  private let items: ProtectedItems
  /// A folder that is the whole `PATH` of the app.
  private let folder: TemporaryDirectory

  init() throws {
    items = try ProtectedItems()
    folder = try TemporaryDirectory()
  }

  /// Writes a stand-in that speaks the protocol and notes its name; `reply` is its answer to GETPIN, nil to end at
  /// once.
  private func write(_ name: String, reply: String?) throws {
    try folder.writeScript(
      name,
      """
      echo '\(name)' >> '\(folder.path("started"))'
      \(reply == nil ? "exit 1" : "echo OK")
      while read -r line; do
        case $line in
          GETPIN) printf '\(reply ?? "")\\n' ;;
          BYE) exit 0 ;;
          *) echo OK ;;
        esac
      done
      """)
  }

  private func start(_ display: [String: String]) throws -> RunningProgram {
    let environment = display.merging(["PATH": folder.path]) { $1 }
    // A new session has no controlling terminal.
    return try items.machine.start(
      items.notes.program, ["--desktop", "get", "present"], environment: environment,
      wrapper: ["/usr/bin/setsid", "--wait"])
  }

  private var started: [String] {
    let text = (try? String(contentsOfFile: folder.path("started"), encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }

  private let noTerminal = "ERR 83918950 Inappropriate ioctl for device <Pinentry>"

  @Test(arguments: [["DISPLAY": ":7"], ["WAYLAND_DISPLAY": "wayland-7"]])
  func `On a desktop the dialogs with windows are tried in order, until one shows its window`(
    _ display: [String: String]
  ) throws {
    try write("pinentry", reply: noTerminal)
    try write("pinentry-gnome3", reply: nil)
    try write("pinentry-gtk-2", reply: "D \(ProtectedItems.passphrase)\\nOK")
    try write("pinentry-fltk", reply: "D never\\nOK")
    try write("pinentry-tty", reply: "D never\\nOK")
    let outcome = try start(display).wait()
    #expect(outcome.text == "for the owner", "\(outcome)")
    #expect(started == ["pinentry", "pinentry-gnome3", "pinentry-gtk-2"])
  }

  @Test func `A dialog that the user cancels is the last one, and without any the call fails with that reason`() throws
  {
    try write("pinentry-qt", reply: "ERR 83886179 Operation cancelled")
    try write("pinentry-gtk-2", reply: "D \(ProtectedItems.passphrase)\\nOK")
    expectFailure(try start(["DISPLAY": ":7"]).wait(), Status.userCanceled)
    #expect(started == ["pinentry-qt"])
    for name in ["pinentry-qt", "pinentry-gtk-2"] { try FileManager.default.removeItem(atPath: folder.path(name)) }
    try write("pinentry", reply: noTerminal)
    expectFailure(try start(["DISPLAY": ":7"]).wait(), Status.interactionNotAllowed)
  }

  @Test(.enabled(if: VirtualDesktop.path(of: "pinentry-tty") != nil, "pinentry-tty is missing"))
  func `A dialog that needs a terminal is not started without one, and that is no cancellation`() throws {
    let tty = try #require(VirtualDesktop.path(of: "pinentry-tty"))
    try FileManager.default.createSymbolicLink(atPath: folder.path("pinentry"), withDestinationPath: tty)
    for terminal in ["", "not a tty", "/dev/null"] {
      expectFailure(try start(["DISPLAY": "", "GPG_TTY": terminal]).wait(), Status.interactionNotAllowed)
    }
    try write("pinentry-qt", reply: "D \(ProtectedItems.passphrase)\\nOK")
    #expect(try start(["DISPLAY": ":7"]).wait().text == "for the owner")
  }

  @Test func `Without a display only pinentry is started`() throws {
    try write("pinentry", reply: noTerminal)
    try write("pinentry-gtk-2", reply: "D \(ProtectedItems.passphrase)\\nOK")
    expectFailure(try start(["DISPLAY": "", "WAYLAND_DISPLAY": ""]).wait(), Status.interactionNotAllowed)
    #expect(started == ["pinentry"])
  }

  @Test func `GnuPG's own dialogs: a window is shown if the system's pinentry needs a terminal`() throws {
    let desktop = try VirtualDesktop()
    for (name, program) in [("pinentry", "pinentry-tty"), ("pinentry-gtk-2", "pinentry-gtk-2")] {
      let path = try #require(VirtualDesktop.path(of: program), "run Scripts/bootstrap --with desktop")
      try FileManager.default.createSymbolicLink(atPath: folder.path(name), withDestinationPath: path)
    }
    let running = try start(["DISPLAY": desktop.display, "DBUS_SESSION_BUS_ADDRESS": ""])
    try desktop.type(ProtectedItems.passphrase, while: { running.isRunning })
    let outcome = try running.wait()
    #expect(outcome.text == "for the owner", "\(outcome)")
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
