internal import Coffer
internal import CofferAdministration
internal import CofferPlatform
internal import CofferSystem
internal import CofferVault
internal import Dispatch

/// This program as a process of another user, which root starts.
///
/// What the user's process starts, such as the ssh of the user's configuration, is under the user's control. So the process
/// has a session of its own without a terminal, and no descriptor of root's terminal: with one, it could type commands into
/// root's shell. Root's process asks for the passphrase, and shows the messages without control characters.
enum UserProcess {
  private static let maximumOutputByteCount = 65_536

  /// Runs this program with the rights and the environment of a user, and returns what it prints. Throws `io` if it fails:
  /// it has said why.
  static func run(as user: SystemUser, _ arguments: [String]) throws(VaultError) -> [UInt8] {
    let program = CurrentProcess.executablePath
    if let weakness = ProtectedPath.weakness(of: program) {
      throw VaultError(
        .integrity, "root runs \(program), which others can change: \(weakness)",
        recoverySuggestion: "install Coffer for all users, as root, with: Scripts/install --prefix /usr/local")
    }
    let setsid = try path(of: "setsid")
    let words = [
      "--wait", "--", try path(of: "setpriv"), "--reuid", user.name, "--regid", "\(user.groupID)", "--init-groups",
      "--reset-env", "--", program,
    ]
    let outcome: (exit: ChildProcess.Exit, output: [UInt8])
    do throws(SystemError) {
      let messages = try Descriptor.pipe()
      let questions = try Descriptor.socketPair()
      let conversation = Conversation(
        with: user, messages: messages.ours.rawValue, questions: questions.ours.rawValue)
      let result = Result { () throws(SystemError) in
        try ChildProcess.run(
          setsid, arguments: words + arguments, input: .descriptor(questions.theirs.rawValue),
          errors: .descriptor(messages.theirs.rawValue), maximumOutputByteCount: maximumOutputByteCount)
      }
      // Wakes the conversation, which reads what is left.
      shutdown(questions.ours.rawValue, Int32(SHUT_RDWR))
      conversation.waitForEnd()
      extendLifetime(messages)
      outcome = try result.get()
    } catch {
      throw VaultError(.io, "\(error)", recoverySuggestion: "try again")
    }
    guard outcome.exit == .code(0) else {
      throw VaultError(
        .io, "nothing was installed for \(user.name)", recoverySuggestion: "follow the advice above, and try again")
    }
    return outcome.output
  }

  private static func path(of name: String) throws(VaultError) -> String {
    guard let path = SystemCommand.path(of: name) else {
      throw VaultError(
        .io, "the program \(name) is not installed", recoverySuggestion: "install the package util-linux")
    }
    return path
  }
}

/// What root's process does for the user's while that runs: it shows its messages, and answers its questions.
private final class Conversation: Sendable {
  private let isOver = DispatchSemaphore(value: 0)

  /// Begins, on a thread of its own. The descriptors stay open until ``waitForEnd()`` returns.
  init(with user: SystemUser, messages: Int32, questions: Int32) {
    let isOver = isOver
    let hasBegun = BlockingThread.start {
      Self.run(with: user, messages: messages, questions: questions)
      isOver.signal()
    }
    guard !hasBegun else { return }
    // Nobody answers, so the process must not wait.
    shutdown(questions, Int32(SHUT_RDWR))
    isOver.signal()
  }

  func waitForEnd() { isOver.wait() }

  private static func run(with user: SystemUser, messages: Int32, questions: Int32) {
    var lines = LineSplitter(maximumByteCount: 1 << 16)
    defer { lines.finish(show) }
    while true {
      var events = [
        pollfd(fd: messages, events: Int16(POLLIN), revents: 0),
        pollfd(fd: questions, events: Int16(POLLIN), revents: 0),
      ]
      guard unsafe poll(&events, nfds_t(events.count), -1) > 0 else {
        if errno == EINTR { continue }
        return
      }
      // The messages first: the one about a wrong passphrase comes before the next question.
      if events[0].revents != 0 {
        guard add(messages, to: &lines) else { return }
      } else if !PassphraseQuestion.answer(on: questions, of: user) {
        // The process has ended, and its messages were read. Something that it has started may still have the pipe.
        return
      }
    }
  }

  /// Reads what has arrived, and shows complete lines. Returns false at the end.
  private static func add(_ messages: Int32, to lines: inout LineSplitter) -> Bool {
    var chunk = [UInt8](repeating: 0, count: 4096)
    let count = unsafe read(messages, &chunk, chunk.count)
    if count > 0 { lines.add(chunk[..<count], show) }
    return count > 0 || count < 0 && errno == EINTR
  }

  private static func show(_ line: String) { StandardError.line(line.sanitizedForTerminal(limit: .max)) }
}
