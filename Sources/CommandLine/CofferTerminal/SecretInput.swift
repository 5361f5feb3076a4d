internal import Coffer
package import CofferCrypto
package import CofferPlatform
package import CofferVault
internal import CofferSystem

/// Reads secrets from files, standard input and the terminal; never from the command line, which every user of the
/// machine can read.
package enum SecretInput {
  /// Reads a regular file, without the newline at its end if it has one. The secret has 1 to `limit` bytes. `what` is
  /// its kind, for errors. Throws `invalidArgument` if the file cannot be read, is not a regular file, belongs to
  /// another user, can be read by other users, or is empty or too large.
  package static func file(_ path: String, limit: Int, what: String) throws(VaultError) -> SecretText {
    let text: SecretText
    do throws(RegularFile.Refusal) {
      let file = try RegularFile.open(path, followsLinks: true)
      try file.checkAccess(allowsSharedFilesOfRoot: true)
      text = try SecretText(capacity: limit + 2) { (buffer) throws(RegularFile.Refusal) in
        try unsafe buffer.append { (rest) throws(RegularFile.Refusal) in try unsafe file.read(into: rest) }
        if buffer.last == UInt8(ascii: "\n") { buffer.removeLast() }
      }
    } catch {
      throw refusal(of: path, error, what: what)
    }
    guard !text.isEmpty, text.count <= limit else {
      throw VaultError(
        .invalidArgument, "\(path) holds no \(what): it is empty or larger than \(limit) bytes",
        recoverySuggestion: "give another file")
    }
    return text
  }

  private static func refusal(of path: String, _ refusal: RegularFile.Refusal, what: String) -> VaultError {
    let name = "the \(what) in \(path)"
    return switch refusal {
    case .system:
      VaultError(
        .invalidArgument, "cannot read the \(what) from \(path)",
        recoverySuggestion: "give the path of a file that holds it")
    case .notRegular:
      VaultError(
        .invalidArgument, "cannot read \(name): it is a named pipe, a device or a folder",
        recoverySuggestion: "give the path of a regular file that holds it")
    case .foreign(let owner):
      VaultError(
        .invalidArgument, "\(name) belongs to another user (uid \(owner))",
        recoverySuggestion: "give a file of your own")
    case .exposed(let mode):
      VaultError(
        .invalidArgument, "\(name) can be read or written by other users (mode \(String(mode, radix: 8)))",
        recoverySuggestion: "restrict the permissions with: chmod 600 '\(path)'")
    }
  }

  /// Reads the value of an item: all of standard input, byte for byte; if that is a terminal, a hidden line that is
  /// typed twice. With `stripsNewline`, a newline at the end of standard input is removed. Throws `invalidArgument` for
  /// an empty or overlong value, and for two different ones, and `locked` if the user cancels.
  package static func value(named name: String, allowsEmpty: Bool, stripsNewline: Bool) throws(VaultError) -> Data {
    var value: Data
    if Terminal.isInput {
      value = try typedValue(named: name, allowsEmpty: allowsEmpty)
    } else {
      value = try standardInput("value")
      if stripsNewline, value.last == UInt8(ascii: "\n") { value.removeLast() }
    }
    guard allowsEmpty || !value.isEmpty else { throw emptyValue }
    return value
  }

  /// Whether a value is a single line with its newline, as `echo` writes it.
  package static func isLine(_ value: Data) -> Bool {
    value.firstIndex(of: UInt8(ascii: "\n")).map { $0 == value.endIndex - 1 } ?? false
  }

  /// The error for an empty value that nobody has allowed.
  package static var emptyValue: VaultError {
    VaultError(
      .invalidArgument, "the value is empty; nothing was changed",
      recoverySuggestion: "give a value, or add --allow-empty")
  }

  private static func typedValue(named name: String, allowsEmpty: Bool) throws(VaultError) -> Data {
    let value = try Terminal.askTwice(
      "Value of \(name.sanitizedForTerminal(limit: .max))", for: "the value", otherwise: "give it on standard input",
      ifDifferent: "the two values differ; nothing was changed"
    ) { (first) throws(VaultError) in
      guard allowsEmpty || !first.isEmpty else { throw emptyValue }
    }
    return unsafe value.withBytes { unsafe Data($0) }
  }

  /// Reads a file that a command names, or standard input for `-`: by default at most 16 MiB. Who else may read it does
  /// not matter. `what` is its kind, for errors. Throws `invalidArgument` if it cannot be read, is not a regular file,
  /// or is larger.
  package static func contents(
    of path: String, what: String, limit: Int = Vault.maximumValueByteCount
  ) throws(VaultError) -> Data {
    if path == "-" { return try standardInput(what, limit: limit) }
    do throws(RegularFile.Refusal) {
      let file = try RegularFile.open(path, followsLinks: true)
      guard file.byteCount <= limit else { throw .system(EFBIG) }
      return Data(try file.read(upTo: file.byteCount))
    } catch {
      let name = "the \(what) \(path.sanitizedForTerminal(limit: .max))"
      let reason =
        switch error {
        case .system(EFBIG): "it is larger than \(limit >> 20) MiB"
        case .system(let number): unsafe String(cString: strerror(number))
        default: "it is a named pipe, a device or a folder"
        }
      throw VaultError(
        .invalidArgument, "cannot read \(name): \(reason)",
        recoverySuggestion: "name a regular file, or give - to read standard input")
    }
  }

  private static func standardInput(
    _ what: String, limit: Int = Vault.maximumValueByteCount
  ) throws(VaultError) -> Data {
    var data = Data()
    var chunk = [UInt8](repeating: 0, count: 65_536)
    defer { chunk.wipe() }
    while data.count <= limit {
      let count = unsafe read(STDIN_FILENO, &chunk, min(chunk.count, limit + 1 - data.count))
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else {
        throw VaultError(
          .io, "cannot read the \(what) from standard input",
          recoverySuggestion: "connect it to a file or a pipe with the \(what)")
      }
      guard count > 0 else { break }
      data.append(contentsOf: chunk[..<count])
    }
    guard data.count <= limit else {
      throw VaultError(
        .invalidArgument, "the \(what) on standard input is larger than \(limit >> 20) MiB",
        recoverySuggestion: "give a smaller \(what)")
    }
    return data
  }
}
