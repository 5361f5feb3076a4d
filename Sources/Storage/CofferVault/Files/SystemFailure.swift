internal import CofferPlatform

/// Whether nothing exists at a path. False also if that cannot be determined, for instance in another user's folder.
package func isAbsent(_ path: String) -> Bool {
  var status = stat()
  return unsafe lstat(path, &status) != 0 && (errno == ENOENT || errno == ENOTDIR)
}

/// Translates `errno` into an error: "cannot `action`: reason".
package func systemFailure(_ action: String) -> VaultError { systemFailure(action, number: errno) }

/// Translates an error number into an error: "cannot `action`: reason".
package func systemFailure(_ action: String, number: Int32) -> VaultError {
  let reason = unsafe String(cString: strerror(number))
  return switch number {
  case ENOSPC, EDQUOT:
    VaultError(.diskFull, "cannot \(action): \(reason)", recoverySuggestion: "free some space; nothing was changed")
  case EROFS: VaultError(.readOnly, "cannot \(action): \(reason)", recoverySuggestion: readOnlyDiskSuggestion)
  case EACCES, EPERM:
    VaultError(
      .readOnly, "cannot \(action): \(reason)",
      recoverySuggestion: "check the owner and the mode of the folder and its files")
  case EIO: VaultError(.io, "cannot \(action): \(reason)", recoverySuggestion: "check the disk, then try again")
  case EMFILE, ENFILE, ENOMEM:
    VaultError(.io, "cannot \(action): \(reason)", recoverySuggestion: "end other programs, then try again")
  default: VaultError(.io, "cannot \(action): \(reason)")
  }
}

/// What to do about a file system that is mounted read-only.
let readOnlyDiskSuggestion =
  "mount the file system writable, or copy the vault's folder to another disk, and name its place in COFFER_HOME"
