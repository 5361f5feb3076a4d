internal import CofferCrypto
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

/// A file with secrets that a command writes for another program: completely or not at all.
enum ReplacedFile {
  /// Writes the file with a mode, by default for its user only, in the place of a regular file if there is one. Throws `invalidArgument` if something else is at the
  /// path.
  static func write(_ bytes: [UInt8], to path: String, mode: mode_t = 0o600) throws(VaultError) {
    let shown = path.sanitizedForTerminal(limit: .max)
    var status = stat()
    if unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      throw VaultError(
        .invalidArgument, "\(shown) is no regular file; nothing was written",
        recoverySuggestion: "name a new file, or a regular file to replace")
    }
    let temporary = "\(path.parentFolder)/.coffer-\(hexadecimal(Random.bytes(count: 8)))"
    let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw systemFailure("write \(shown)") }
    defer { close(descriptor) }
    // The mode of a new file depends on the umask.
    guard fchmod(descriptor, mode) == 0,
      unsafe bytes.withUnsafeBytes({ unsafe Terminal.writeAll($0, to: descriptor) }),
      fsync(descriptor) == 0, unsafe rename(temporary, path) == 0
    else {
      let error = systemFailure("write \(shown)")
      unsafe unlink(temporary)
      throw error
    }
    try SecretFile.syncFolder(path.parentFolder)
  }
}
