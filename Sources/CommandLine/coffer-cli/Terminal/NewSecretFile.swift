internal import CofferCrypto
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

/// A new file for a secret, with mode 0600. It is created before the secret exists, so that nothing is lost if it cannot be.
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
