internal import Coffer
internal import CofferAdministration
internal import CofferCrypto
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

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

  /// Waits for a question, asks for the passphrase at the terminal, and sends it. Returns false if no further question can
  /// come.
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
