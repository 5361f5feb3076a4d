internal import CofferTestSupport
internal import Dispatch
internal import Foundation
internal import LocalAuthentication
internal import Synchronization
internal import Testing

/// Both ends of a pseudo-terminal.
private final class Terminal {
  private var master: Int32 = -1
  private var slave: Int32 = -1
  let prompter: TerminalPrompter

  init() throws {
    var name = [CChar](repeating: 0, count: 256)
    let opened = unsafe openpty(&master, &slave, &name, nil, nil)
    try #require(opened == 0)
    prompter = TerminalPrompter(path: String(decoding: name.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self))
  }

  deinit {
    close(master)
    close(slave)
  }

  func type(_ keys: String) {
    let bytes = Array(keys.utf8)
    _ = unsafe write(master, bytes, bytes.count)
  }

  /// Returns what was shown since the last call, after at most a tenth of a second.
  func shown() -> String {
    var event = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&event, 1, 100) > 0 else { return "" }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe read(master, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  var echoes: Bool {
    var settings = termios()
    _ = unsafe tcgetattr(slave, &settings)
    return settings.c_lflag & tcflag_t(ECHO) != 0
  }
}

@Suite struct TerminalPrompterTests {
  /// Types at a terminal once the prompt has appeared, and returns everything that the screen showed.
  ///
  /// Blocks, and therefore runs the prompter on a separate thread instead of a task, which might not get to run.
  private func session(
    typing keys: String, _ request: AuthenticationRequest
  ) throws -> (answer: AuthenticationAnswer, screen: String, echoes: Bool) {
    let terminal = try Terminal()
    let prompter = terminal.prompter
    let answered = DispatchSemaphore(value: 0)
    let answer = Answer()
    Thread.detachNewThread {
      answer.given.withLock { $0 = prompter.ask(request) }
      answered.signal()
    }
    var screen = ""
    let end = ContinuousClock.now + longestWait
    while !screen.contains("word: ") && !screen.contains("Passphrase: ") {
      try #require(ContinuousClock.now < end, "the screen shows only: \(screen)")
      screen += terminal.shown()
    }
    terminal.type(keys)
    try #require(answered.wait(timeout: .now() + 300) == .success)
    screen += terminal.shown()
    let given = try #require(answer.given.withLock { $0 })
    return (given, screen, terminal.echoes)
  }

  private final class Answer: Sendable {
    let given = Mutex<AuthenticationAnswer?>(nil)
  }

  @Test func `The typed text is returned and not shown, and the terminal echoes again afterwards`() throws {
    let request = AuthenticationRequest(secret: .passphrase, reason: "to read the note")
    let (answer, screen, echoes) = try session(typing: "sesamö\n", request)
    #expect(answer.text == "sesamö")
    #expect(screen.contains("to read the note"))
    #expect(!screen.contains("ses"))
    #expect(echoes)
  }

  @Test func `Keys that delete delete characters`() throws {
    let request = AuthenticationRequest(secret: .applicationPassword, reason: "", failedAttempts: 1)
    let (answer, screen, _) = try session(typing: "wrong\u{15}ö\u{7F}opens\u{8}\n", request)
    #expect(answer.text == "open")
    #expect(screen.contains("Wrong password. Try again."))
    #expect(screen.contains("Password: "))
  }

  @Test(arguments: ["secret\u{3}", "\u{4}"])
  func `Ctrl-C and Ctrl-D cancel and restore the terminal's echo`(_ keys: String) throws {
    let (answer, _, echoes) = try session(typing: keys, AuthenticationRequest(secret: .passphrase, reason: "r"))
    #expect(answer.isCancelled)
    #expect(echoes)
  }

  @Test func `A withdrawn prompt ends`() throws {
    let request = AuthenticationRequest(secret: .passphrase, reason: "r")
    request.cancel()
    let (answer, _, echoes) = try session(typing: "", request)
    #expect(answer.isCancelled)
    #expect(echoes)
  }

  @Test func `A reason cannot write control characters to the terminal`() throws {
    let request = AuthenticationRequest(secret: .passphrase, reason: "a\u{1B}[2Jb\nc\u{202E}d\u{9B}e")
    let (_, screen, _) = try session(typing: "\n", request)
    #expect(screen.contains(#"a\u{1B}[2Jb c\u{202E}d\u{9B}e"#))
    #expect(!screen.unicodeScalars.contains { ["\u{1B}", "\u{202E}", "\u{9B}"].contains($0) })
  }

  @Test func `Two prompts on one terminal run one after the other, and neither answer is shown`() throws {
    let terminal = try Terminal()
    let prompter = terminal.prompter
    let answered = DispatchSemaphore(value: 0)
    for _ in 0..<2 {
      Thread.detachNewThread {
        _ = prompter.ask(AuthenticationRequest(secret: .passphrase, reason: "r"))
        answered.signal()
      }
    }
    let end = ContinuousClock.now + longestWait
    for _ in 0..<2 {
      var screen = ""
      while !screen.contains("Passphrase: ") {
        try #require(ContinuousClock.now < end, "the screen shows only: \(screen)")
        screen += terminal.shown()
      }
      #expect(screen.components(separatedBy: "Passphrase: ").count == 2, "both ask at once")
      #expect(!terminal.echoes)
      terminal.type("typed\n")
      try #require(answered.wait(timeout: .now() + 300) == .success)
    }
    #expect(terminal.echoes)
  }

  @Test func `Without a terminal no prompt is possible`() {
    for path in ["/dev/null", "/nowhere/tty"] {
      let answer = TerminalPrompter(path: path).ask(AuthenticationRequest(secret: .passphrase, reason: "r"))
      #expect(answer.isUnavailable)
    }
  }
}
