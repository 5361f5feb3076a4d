internal import CofferCrypto
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

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
