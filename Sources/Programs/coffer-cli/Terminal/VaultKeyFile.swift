internal import Coffer
internal import CofferAdministration
internal import CofferCrypto
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault
internal import CofferFormat

/// Files that hold a vault key.
enum VaultKeyFile {
  /// Writes a key to a new file with mode 0600, and syncs the file and its name in the folder to the disk.
  static func write(_ key: VaultKey, to path: String) throws(VaultError) {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      if errno == EEXIST { throw existing(path) }
      throw systemFailure("write the vault key to \(path)")
    }
    let line = SecretText(line: key.text)
    guard unsafe line.withBytes({ unsafe Terminal.writeAll($0, to: descriptor) }), fsync(descriptor) == 0 else {
      let error = systemFailure("write the vault key to \(path)")
      close(descriptor)
      remove(path)
      throw error
    }
    close(descriptor)
    do throws(VaultError) {
      try SecretFile.syncFolder(path.parentFolder)
      FaultPoint.reached(.vaultKeyWritten)
    } catch {
      remove(path)
      throw error
    }
  }

  /// Throws the error that ``write(_:to:)`` would throw because the file exists, or its folder does not or cannot be
  /// written.
  static func checkCreatable(_ path: String) throws(VaultError) {
    guard isAbsent(path) else { throw existing(path) }
    guard unsafe faccessat(AT_FDCWD, path.parentFolder, W_OK | X_OK, AT_EACCESS) == 0 else {
      throw systemFailure("write the vault key to \(path)")
    }
  }

  private static func existing(_ path: String) -> VaultError {
    VaultError(
      .invalidArgument, "\(path) already exists, and a vault key never overwrites a file; nothing was changed",
      recoverySuggestion: "name a new file")
  }

  /// Deletes a file that ``write(_:to:)`` created.
  static func remove(_ path: String) { unsafe unlink(path) }

  /// Reads a key from a file.
  static func read(_ path: String) throws(VaultError) -> VaultKey {
    try VaultKey.typed(SecretInput.file(path, limit: 256, what: "vault key"))
  }

  /// Asks for a key on the terminal, and passes it to `body`. Asks again, three times in all, if it is mistyped or
  /// `body` throws `authenticationFailed` because it is wrong. Throws `locked` if no terminal exists.
  static func ask<Result>(_ body: (VaultKey) throws(VaultError) -> Result) throws(VaultError) -> Result {
    var remaining = 3
    while true {
      let text = try Terminal.askHidden("Vault key", for: terminalPurpose, otherwise: terminalAlternative)
      do throws(VaultError) {
        return try body(VaultKey.typed(text))
      } catch {
        remaining -= 1
        guard error.code == .authenticationFailed, remaining > 0 else { throw error }
        Terminal.printError(error.description)
      }
    }
  }

  /// Throws the error that ``ask(_:)`` would throw because no terminal exists.
  static func checkCanAsk() throws(VaultError) {
    try Terminal.checkCanAsk(for: terminalPurpose, otherwise: terminalAlternative)
  }

  private static let terminalPurpose = "the vault key"
  private static let terminalAlternative = "give --vault-key-file"
}

extension SecretText {
  /// Creates a line of a secret, with the newline.
  convenience init(line text: SecretText) {
    self.init(capacity: text.count + 1) { buffer in
      buffer.append(text)
      buffer.append(UInt8(ascii: "\n"))
    }
  }
}
