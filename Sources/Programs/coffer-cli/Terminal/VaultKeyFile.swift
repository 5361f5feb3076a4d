internal import Coffer
internal import CofferCrypto
internal import CofferSystem
internal import CofferVault
internal import CofferFormat
internal import Foundation

/// Files that hold a vault key.
enum VaultKeyFile {
  /// Writes a key to a new file with mode 0600, and syncs the file and its name in the folder to the disk.
  static func write(_ key: VaultKey, to path: String) throws(VaultError) {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      if errno == EEXIST {
        throw VaultError(
          .invalidArgument, "\(path) already exists, and a vault key never overwrites a file; no vault was created",
          recoverySuggestion: "name a new file")
      }
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
      let folder = (path as NSString).deletingLastPathComponent
      try SecretFile.syncFolder(folder.isEmpty ? "." : folder)
      FaultPoint.reached(.vaultKeyWritten)
    } catch {
      remove(path)
      throw error
    }
  }

  /// Deletes a file that ``write(_:to:)`` created.
  static func remove(_ path: String) { unsafe unlink(path) }

  /// Reads a key from a file, or from a prompt on the terminal if `path` is nil.
  static func read(_ path: String?) throws(VaultError) -> VaultKey {
    let text =
      if let path {
        try SecretInput.file(path, limit: 256, what: "vault key")
      } else {
        try Terminal.askHidden("Vault key", for: "the vault key", otherwise: "give --vault-key-file")
      }
    do throws(VaultKey.ParseError) {
      return try VaultKey(parsing: text)
    } catch .mistyped {
      throw VaultError(
        .authenticationFailed, "the vault key is mistyped: its checksum does not match",
        recoverySuggestion: "compare it with what you wrote down")
    } catch {
      throw VaultError(
        .authenticationFailed, "this is not a vault key",
        recoverySuggestion: "a vault key has the form COFFER1-XXXX-… with eight groups of four")
    }
  }
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
