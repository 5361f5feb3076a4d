internal import CofferCrypto
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

/// Hands a new secret to the user, once: a vault key or the code of an invitation. It is stored nowhere else.
enum NewSecret {
  /// Prints a secret on standard output, between a heading and an explanation. With `isScannable`, a terminal also
  /// shows it as a QR code, for another machine's camera.
  static func print(
    _ secret: SecretText, heading: String, explanation: String, isScannable: Bool = false
  ) throws(VaultError) {
    try Terminal.write(Data("\(heading):\n\n    ".utf8))
    try Terminal.write(SecretText(line: secret))
    if isScannable && Terminal.isOutput {
      try Terminal.write(Data("\n".utf8))
      if try TerminalQRCode.print(secret) {
        try Terminal.write(
          Data(
            "\nThe picture is the same text: a camera that reads it gives you the text to paste at the prompt.\n".utf8))
      }
    }
    try Terminal.write(Data("\n\(explanation)\n".utf8))
  }
}

/// A new file for a secret, with mode 0600. It is created before the secret exists, so that nothing is lost if it
/// cannot be.
struct NewSecretFile {
  private let path: String
  private let what: String

  /// Creates an empty file. `what` is the secret, for errors. Throws `invalidArgument` if something exists at the path.
  static func create(_ path: String, what: String) throws(VaultError) -> NewSecretFile {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw errno == EEXIST ? existing(path, what: what) : systemFailure("write \(what) to \(path)")
    }
    close(descriptor)
    return NewSecretFile(path: path, what: what)
  }

  /// The error for a path at which something exists.
  static func existing(_ path: String, what: String) -> VaultError {
    VaultError(
      .invalidArgument, "\(path) already exists, and \(what) never overwrites a file; nothing was changed",
      recoverySuggestion: "name a new file")
  }

  /// Writes the secret, and syncs the file and its name in the folder to the disk.
  func write(_ secret: SecretText) throws(VaultError) {
    let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw systemFailure("write \(what) to \(path)") }
    defer { close(descriptor) }
    guard unsafe secret.withBytes({ unsafe Terminal.writeAll($0, to: descriptor) }), fsync(descriptor) == 0 else {
      throw systemFailure("write \(what) to \(path)")
    }
    try SecretFile.syncFolder(path.parentFolder)
  }

  /// Deletes the file.
  func remove() { unsafe unlink(path) }
}

/// A file with secrets that a command writes for another program: completely or not at all.
enum ReplacedFile {
  /// Writes the file with a mode, by default for its user only, in the place of a regular file if there is one. Throws
  /// `invalidArgument` if something else is at the path.
  static func write(_ bytes: [UInt8], to path: String, mode: mode_t = 0o600) throws(VaultError) {
    let shown = path.sanitizedForTerminal(limit: .max)
    var status = stat()
    if unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      throw VaultError(
        .invalidArgument, "\(shown) is no regular file; nothing was written",
        recoverySuggestion: "name a new file, or a regular file to replace")
    }
    let temporary = "\(path.parentFolder)/.coffer-\(hexadecimal(Random.bytes(count: 8)))"
    do {
      let file = try UnnamedFile.create(temporary: temporary)
      let descriptor = file.descriptor
      // The mode of a new file depends on the umask.
      guard fchmod(descriptor, mode) == 0,
        unsafe bytes.withUnsafeBytes({ unsafe Terminal.writeAll($0, to: descriptor) }),
        fsync(descriptor) == 0
      else { throw systemFailure("write \(shown)") }
      try file.replace(path)
    } catch let error as SystemError {
      throw systemFailure("write \(shown)", number: error.number)
    } catch {
      throw VaultError(translating: error)
    }
    try SecretFile.syncFolder(path.parentFolder)
  }
}
