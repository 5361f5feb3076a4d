internal import Coffer
package import CofferCrypto
package import CofferPlatform
internal import CofferSystem
package import CofferVault

/// The terminal, standard output and standard error.
package enum Terminal {
  /// Writes an error or warning to standard error, in one line that begins with the program's name.
  package static func printError(_ message: String) {
    StandardError.line("coffer: \(message)")
  }

  /// Writes a line to standard error that is no error: a status or advice.
  package static func printNote(_ message: String) {
    StandardError.line(message)
  }

  /// Whether standard output is a terminal. Every cell of a table depends on it, so the system is asked once.
  package static let isOutput = isatty(STDOUT_FILENO) == 1

  /// Whether standard input is a terminal.
  package static var isInput: Bool { isatty(STDIN_FILENO) == 1 }

  package static func write(_ bytes: Data) throws(VaultError) { try StandardOutput.write(bytes) }

  /// Writes a secret to standard output.
  package static func write(_ secret: SecretText) throws(VaultError) {
    let result = unsafe secret.withBytes { bytes in
      Result { () throws(VaultError) in try unsafe StandardOutput.write(bytes) }
    }
    try result.get()
  }

  /// Writes bytes to a descriptor. Returns false if that fails.
  package static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
    unsafe StandardOutput.writeAll(bytes, to: descriptor) == nil
  }

  /// Reads a line, without the newline, from the controlling terminal without showing it. `what` is the secret, for
  /// errors, and the recovery suggestion how to give it if no terminal exists. Throws `locked` if none exists, or if
  /// the user cancels with Ctrl-C or Ctrl-D.
  package static func askHidden(_ prompt: String, for what: String, otherwise recoverySuggestion: String)
    throws(VaultError)
    -> SecretText
  {
    let descriptor = try openTerminal(for: what, otherwise: recoverySuggestion)
    defer { close(descriptor) }
    do throws(SystemError) {
      try HiddenInput.begin(on: descriptor)
    } catch {
      throw VaultError(.locked, "the terminal cannot hide what is typed", recoverySuggestion: recoverySuggestion)
    }
    defer {
      HiddenInput.end()
      put("\n", to: descriptor)
    }
    put("\(prompt): ", to: descriptor)
    return try SecretText(capacity: maximumLineByteCount) { (line) throws(VaultError) in
      try readLine(into: &line, from: descriptor)
    }
  }

  /// Asks for a new secret twice. `check` throws for one that cannot be set, before it is asked for again. Throws
  /// `invalidArgument` with the message for two different ones.
  package static func askTwice(
    _ prompt: String, for what: String, otherwise recoverySuggestion: String, ifDifferent message: String,
    check: (SecretText) throws(VaultError) -> Void = { _ in }
  ) throws(VaultError) -> SecretText {
    let first = try askHidden(prompt, for: what, otherwise: recoverySuggestion)
    try check(first)
    guard try askHidden("Once more", for: what, otherwise: recoverySuggestion) == first else {
      throw VaultError(.invalidArgument, message, recoverySuggestion: "try again")
    }
    return first
  }

  /// Asks a question on the terminal. Returns true for an answer that begins with "y"; anything else means no.
  package static func askYes(_ question: String, otherwise recoverySuggestion: String = "give --yes")
    throws(VaultError) -> Bool
  {
    let descriptor = try openTerminal(for: "confirmation", otherwise: recoverySuggestion)
    defer { close(descriptor) }
    put("\(question) [y/N] ", to: descriptor)
    let answer = readAnswer(from: descriptor, limit: 16)
    return answer.first.map { $0 == UInt8(ascii: "y") || $0 == UInt8(ascii: "Y") } ?? false
  }

  /// Asks for a line of text on the terminal, which shows what is typed. The line has no newline, and is empty if the
  /// user cancels with Ctrl-D. `what` is the text, for errors, and the recovery suggestion how to give it if no
  /// terminal exists. Throws `locked` if none exists.
  package static func askLine(_ prompt: String, for what: String, otherwise recoverySuggestion: String)
    throws(VaultError) -> String
  {
    let descriptor = try openTerminal(for: what, otherwise: recoverySuggestion)
    defer { close(descriptor) }
    put("\(prompt): ", to: descriptor)
    return String(decoding: readAnswer(from: descriptor, limit: 4096), as: UTF8.self)
  }

  /// Reads what is typed up to the end of the line, at most `limit` bytes.
  private static func readAnswer(from descriptor: Int32, limit: Int) -> [UInt8] {
    var answer: [UInt8] = []
    while answer.count < limit {
      var key: UInt8 = 0
      let count = unsafe read(descriptor, &key, 1)
      if count < 0 && errno == EINTR { continue }
      guard count == 1, key != 10, key != 13 else { break }
      answer.append(key)
    }
    return answer
  }

  /// Throws the error that ``askHidden(_:for:otherwise:)`` would throw because no terminal exists.
  package static func checkCanAsk(for what: String, otherwise recoverySuggestion: String) throws(VaultError) {
    close(try openTerminal(for: what, otherwise: recoverySuggestion))
  }

  /// Whether a terminal exists on which the user can be asked for a secret.
  package static var canAsk: Bool { (try? checkCanAsk(for: "a passphrase", otherwise: "")) != nil }

  private static func openTerminal(for what: String, otherwise recoverySuggestion: String) throws(VaultError) -> Int32 {
    let descriptor = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else {
      throw VaultError(.locked, "there is no terminal to ask for \(what) on", recoverySuggestion: recoverySuggestion)
    }
    return descriptor
  }

  private static let maximumLineByteCount = 65_536

  private static func readLine(into line: inout SecretBuffer, from descriptor: Int32) throws(VaultError) {
    while true {
      var key: UInt8 = 0
      let count = unsafe read(descriptor, &key, 1)
      if count < 0 && errno == EINTR { continue }
      guard count == 1 else { throw cancelled }
      switch key {
      case 10, 13: return
      case 3, 4: throw cancelled
      case 8, 127: line.removeLastCharacter()
      case 21: line.removeAll()
      default:
        guard line.append(key) else {
          throw VaultError(
            .invalidArgument, "the line is too long",
            recoverySuggestion: "type at most \(maximumLineByteCount) bytes, or give a longer value on standard input")
        }
      }
    }
  }

  private static var cancelled: VaultError { VaultError(.locked, "cancelled; nothing was changed") }

  private static func put(_ text: String, to descriptor: Int32) {
    _ = unsafe Array(text.utf8).withUnsafeBytes { unsafe writeAll($0, to: descriptor) }
  }
}
