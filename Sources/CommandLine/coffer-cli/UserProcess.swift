internal import Coffer
internal import CofferAdministration
internal import CofferCrypto
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferTransfer
internal import CofferVault
internal import Dispatch

/// This program as a process of another user, which root starts.
///
/// What the user's process starts, such as the ssh of the user's configuration, is under the user's control. So the
/// process has a session of its own without a terminal, and no descriptor of root's terminal: with one, it could type
/// commands into root's shell. It gets no other descriptor either that root's shell has left open, and none of the keys
/// of root's session. Root's process asks for the passphrase, and shows the messages without control characters.
enum UserProcess {
  private static let maximumOutputByteCount = 65_536

  /// Runs this program with the rights and the environment of a user, and returns what it prints. Throws `io` if it
  /// fails: it has said why.
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
      try CurrentProcess.withholdInherited()
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

/// The question for a user's passphrase that the user's process asks root's, because it has no terminal.
///
/// The process sends one byte, which says whether the passphrase is a new one. The answer is its number of bytes, in
/// two bytes with the greater one first, and the passphrase. Root's process closes the connection if nobody gives one,
/// and says why.
enum PassphraseQuestion: UInt8 {
  case current = 1
  /// That of a vault which is about to be created.
  case new = 2

  private static let maximumByteCount = 1024

  // MARK: Root's process

  /// Waits for a question, asks for the passphrase at the terminal, and sends it. Returns false if no further question
  /// can come.
  static func answer(on connection: Int32, of user: SystemUser) -> Bool {
    var question: UInt8 = 0
    let count = unsafe systemRead(connection, &question, 1)
    if count < 0 && errno == EINTR { return true }
    guard count == 1, let question = PassphraseQuestion(rawValue: question) else { return false }
    do throws(VaultError) {
      let passphrase = try question.ask(of: user)
      guard passphrase.count <= maximumByteCount else {
        throw VaultError(.invalidArgument, "the passphrase is too long", recoverySuggestion: "try again")
      }
      let size = [UInt8(passphrase.count >> 8), UInt8(passphrase.count & 0xff)]
      unsafe size.withUnsafeBytes { unsafe send($0, on: connection) }
      unsafe passphrase.withBytes { unsafe send($0, on: connection) }
    } catch {
      Terminal.printError(error.description)
      shutdown(connection, Int32(SHUT_RDWR))
    }
    return true
  }

  private func ask(of user: SystemUser) throws(VaultError) -> SecretText {
    let name = user.name.sanitizedForTerminal()
    let otherwise = "give --passphrase-file FILE, a file of the user"
    guard self == .new else {
      return try Terminal.askHidden(
        "Passphrase of \(name)'s vault", for: "the passphrase of the user's vault", otherwise: otherwise)
    }
    return try NewPassphrase.ask(
      "New passphrase for a vault of \(name)", ifEmpty: "the owner's keys need one", otherwise: otherwise)
  }

  /// Sends bytes that fit into the connection. If the process has ended, nobody needs them.
  private static func send(_ bytes: UnsafeRawBufferPointer, on connection: Int32) {
    _ = unsafe Descriptor.send(bytes, to: connection)
  }

  // MARK: The user's process

  /// What asks root's process.
  struct Asker: Sendable {
    fileprivate let connection: SharedDescriptor

    /// The source of the passphrase that the user's vault has.
    var source: PassphraseSource {
      PassphraseSource(attempts: 3) { [connection] (previous) throws(VaultError) in
        if let previous { Terminal.printError(previous.description) }
        return try PassphraseQuestion.current.send(on: connection.descriptor.rawValue)
      }
    }

    /// Asks for the passphrase of a vault that is about to be created.
    func newPassphrase() throws(VaultError) -> SecretText {
      try PassphraseQuestion.new.send(on: connection.descriptor.rawValue)
    }
  }

  /// Returns what asks root's process, at the other end of standard input. No program that this process starts
  /// has the connection: it could ask for the passphrase, too. Throws `invalidArgument` without such a connection.
  static func asker() throws(VaultError) -> Asker {
    let number = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
    let null = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer { if null >= 0 { close(null) } }
    guard number >= 0, null >= 0, dup2(null, STDIN_FILENO) == STDIN_FILENO else {
      if number >= 0 { close(number) }
      throw VaultError(.invalidArgument, "root's process has to start this", recoverySuggestion: "use sudo")
    }
    return Asker(connection: SharedDescriptor(number))
  }

  private func send(on connection: Int32) throws(VaultError) -> SecretText {
    let question = [rawValue]
    unsafe question.withUnsafeBytes { unsafe Self.send($0, on: connection) }
    let size = Self.read(2, from: connection)
    guard size.count == 2 else { throw Self.unanswered }
    let count = unsafe size.withBytes { unsafe Int($0[0]) << 8 | Int($0[1]) }
    let passphrase = Self.read(min(count, Self.maximumByteCount), from: connection)
    guard passphrase.count == count else { throw Self.unanswered }
    return passphrase
  }

  private static func read(_ count: Int, from connection: Int32) -> SecretText {
    SecretText(capacity: count) { buffer in
      var byte: UInt8 = 0
      defer { byte = 0 }
      while buffer.count < count {
        let received = unsafe systemRead(connection, &byte, 1)
        if received < 0 && errno == EINTR { continue }
        guard received == 1 else { return }
        buffer.append(byte)
      }
    }
  }

  private static let unanswered = VaultError(
    .locked, "nobody has given the passphrase; nothing was changed",
    recoverySuggestion: "repeat the command, and type the passphrase or give --passphrase-file FILE")
}

/// A descriptor that is closed with the last reference.
fileprivate final class SharedDescriptor: Sendable {
  let descriptor: Descriptor

  init(_ number: Int32) { descriptor = Descriptor(owning: number) }
}
