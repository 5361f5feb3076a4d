internal import CofferTestSupport
internal import Foundation
internal import LocalAuthentication
internal import Synchronization
internal import Testing

/// A pinentry program that records its arguments and the lines that it receives.
private struct RecordingPinentry {
  let folder: TemporaryDirectory
  var program: String { folder.path("pinentry") }

  /// Writes the program; `onGetPin` and `onGetFlavor` are the shell commands that print its replies.
  init(
    greeting: String = "echo 'OK ready'", onGetFlavor: String = "echo 'ERR 83886360 Unknown'", onGetPin: String
  ) throws {
    folder = try TemporaryDirectory()
    let script = """
      #!/bin/sh
      echo "$$" > '\(folder.path("pid"))'
      printf '%s\\n' "$@" > '\(folder.path("arguments"))'
      env > '\(folder.path("environment"))'
      \(greeting)
      while read -r line; do
        printf '%s\\n' "$line" >> '\(folder.path("spoken"))'
        case $line in
          GETPIN) \(onGetPin) ;;
          'GETINFO flavor') \(onGetFlavor) ;;
          BYE) exit 0 ;;
          'OPTION '*) echo 'ERR 83886254 Unknown option <Pinentry>' ;;
          *) echo OK ;;
        esac
      done
      """
    // Written by another process: a file that this process, or a child that inherited its descriptor, has open for
    // writing cannot be executed.
    try Command.run("sh", "-c", "printf '%s' \"$1\" > \"$2\" && chmod 700 \"$2\"", "sh", script, program)
  }

  func ask(
    _ request: AuthenticationRequest = AuthenticationRequest(secret: .passphrase, reason: "why")
  ) -> AuthenticationAnswer {
    PinentryPrompter(program: program).ask(request)
  }

  func written(_ name: String) -> String { (try? String(contentsOfFile: folder.path(name), encoding: .utf8)) ?? "" }

  /// True if the dialog's process has ended and is not a zombie of this process.
  var isGone: Bool {
    guard let process = Int32(written("pid").trimmingCharacters(in: .newlines)) else { return false }
    return kill(process, 0) != 0
  }
}

@Suite struct PinentryPrompterTests {
  @Test func `The typed text is returned, including escapes and several lines`() throws {
    let dialog = try RecordingPinentry(
      onGetPin: "echo '# comment'; echo 'S PASSWORD_FROM_CACHE'; echo 'D se%25sa%0Am'; echo 'D e'; echo OK")
    #expect(dialog.ask().text == "se%sa\nme")
    #expect(dialog.isGone)
  }

  @Test func `An empty answer is an empty passphrase`() throws {
    #expect(try RecordingPinentry(onGetPin: "echo OK").ask().text == "")
  }

  @Test func `The passphrase is in no argument, environment variable or line sent to pinentry`() throws {
    let dialog = try RecordingPinentry(onGetPin: "echo 'D canary-9f1c'; echo OK")
    #expect(dialog.ask().text == "canary-9f1c")
    for file in ["arguments", "environment", "spoken"] { #expect(!dialog.written(file).contains("canary")) }
    #expect(dialog.written("arguments").trimmingCharacters(in: .newlines).isEmpty)
  }

  @Test func `A reason cannot send commands to pinentry`() throws {
    let dialog = try RecordingPinentry(onGetPin: "echo OK")
    let request = AuthenticationRequest(
      secret: .applicationPassword, reason: "a\nSETPROMPT b\r100%", failedAttempts: 2, cancelTitle: "Stop\nBYE")
    _ = dialog.ask(request)
    let lines = dialog.written("spoken").split(separator: "\n")
    #expect(lines.contains("SETDESC a SETPROMPT b 100%25"))
    #expect(lines.contains("SETPROMPT Password:"))
    #expect(lines.contains("SETCANCEL Stop BYE"))
    #expect(lines.contains { $0.hasPrefix("SETERROR") })
    #expect(!lines.contains("SETPROMPT b"))
  }

  @Test func `A combining mark after a percent sign does not keep it from being escaped`() throws {
    let dialog = try RecordingPinentry(onGetPin: "echo OK")
    _ = dialog.ask(AuthenticationRequest(secret: .passphrase, reason: "5%\u{301} 41"))
    #expect(dialog.written("spoken").contains("SETDESC 5%25\u{301} 41\n"))
  }

  @Test func `A dialog of FLTK shows the whole text, also after an @`() throws {
    for (flavor, shown) in [("fltk", "Allow a@@\u{301} to use b@@c?"), ("gtk2", "Allow a@\u{301} to use b@c?")] {
      let dialog = try RecordingPinentry(onGetFlavor: "echo 'D \(flavor)'; echo OK", onGetPin: "echo OK")
      _ = dialog.ask(AuthenticationRequest(secret: .passphrase, reason: "Allow a@\u{301} to use b@c?"))
      #expect(dialog.written("spoken").contains("SETDESC \(shown)\n"))
    }
  }

  @Test(arguments: ["83886179 Operation cancelled", "83886278", "83886142 Timeout"])
  func `Cancelling and a timeout are a cancellation`(_ error: String) throws {
    let answer = try RecordingPinentry(onGetPin: "echo 'ERR \(error)'").ask()
    #expect(answer.isCancelled)
  }

  @Test(arguments: [
    "echo 'ERR 83918950 Inappropriate ioctl for device'", "exit 1", "echo nonsense", "echo 'D %4'; echo OK",
    "echo 'D %zz'; echo OK", "head -c 5000 /dev/zero | tr '\\0' x", "echo 'INQUIRE QUALITY x'", "echo 'ERR'",
    "for i in 1 2; do printf 'D '; head -c 900 /dev/zero | tr '\\0' x; echo; done; echo OK",
  ])
  func `A pinentry that cannot prompt, or whose answers are invalid, gives no answer`(_ script: String) throws {
    let dialog = try RecordingPinentry(onGetPin: script)
    let answer = dialog.ask()
    #expect(answer.isUnavailable)
    #expect(dialog.isGone)
  }

  @Test func `A pinentry that exits at once or is missing is unavailable`() throws {
    let refusing = try RecordingPinentry(greeting: "echo 'ERR 1'; exit", onGetPin: ":")
    for program in [refusing.program, "/nowhere/pinentry"] {
      let answer = PinentryPrompter(program: program).ask(AuthenticationRequest(secret: .passphrase, reason: "r"))
      #expect(answer.isUnavailable)
    }
  }

  @Test func `The programs with windows are tried after pinentry, on a desktop only`() {
    for environment in [[:], ["DISPLAY": ""], ["TERM": "xterm"]] {
      #expect(PinentryPrompter(environment: environment).programs == ["pinentry"])
    }
    for environment in [["DISPLAY": ":0"], ["WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ""]] {
      let programs = PinentryPrompter(environment: environment).programs
      #expect(programs.first == "pinentry")
      let known = ["pinentry-gnome3", "pinentry-qt", "pinentry-gtk-2", "pinentry-fltk"]
      #expect(programs.filter(known.contains) == known)
      #expect(!programs.contains { $0.hasSuffix("-tty") || $0.hasSuffix("-curses") })
    }
    #expect(PinentryPrompter(program: "pinentry").programs == ["pinentry"])
  }

  // Synchronous on purpose, on threads of its own: in a busy test process, a task that this test waits for while it
  // blocks its own thread may not run for minutes.
  @Test(arguments: ["read -r never", "trap '' TERM; while :; do read -r never || sleep 0.05; done"])
  func `A withdrawn prompt ends pinentry, even if it ignores the request`(_ script: String) throws {
    let dialog = try RecordingPinentry(onGetPin: "echo shown > $0.shown; \(script)")
    let request = AuthenticationRequest(secret: .passphrase, reason: "r")
    // If this test fails, nothing else ends the dialog.
    defer { request.cancel() }
    let prompter = PinentryPrompter(program: dialog.program)
    let answer = Mutex<AuthenticationAnswer?>(nil)
    let answered = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      let given = prompter.ask(request)
      answer.withLock { $0 = given }
      answered.signal()
    }
    try waitUntil("the dialog is shown") { !dialog.written("pinentry.shown").isEmpty }
    request.cancel()
    try #require(answered.wait(timeout: .now() + 300) == .success)
    #expect(answer.withLock { $0?.isCancelled } == true)
    #expect(dialog.isGone)
  }
}
