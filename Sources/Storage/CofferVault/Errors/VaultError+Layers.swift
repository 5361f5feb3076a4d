package import CofferCrypto
package import CofferFormat
internal import CofferPlatform
package import CofferStore
internal import CofferSystem
package import CofferTrust

/// Translates the errors of the lower layers, at one place.
extension VaultError {
  package init(_ error: StoreError) {
    let (code, suggestion): (Code, String) =
      switch error.code {
      case .missing: (.noVault, "create one with: coffer init")
      case .alreadyExists: (.vaultExists, "find the damage with: coffer check")
      case .busy: (.io, "end the program that uses it, or wait for it, then try again")
      case .corrupt:
        (.integrity, VaultFolder(URL(fileURLWithPath: error.path).deletingLastPathComponent()).damageSuggestion)
      case .otherVersion: (.upgradeNeeded, "upgrade Coffer, or use the version that wrote the store")
      case .readOnly: (.readOnly, readOnlyDiskSuggestion)
      case .permissionDenied: (.readOnly, "check the owner and the mode of the folder and its files")
      case .diskFull: (.diskFull, "free some space; nothing was changed")
      case .io: (.io, "check the disk, then try again")
      }
    self.init(
      code, "the vault's store at \(error.path): \(error.detail)",
      recoverySuggestion: error.recoverySuggestion ?? suggestion)
  }

  package init(_ error: TrustError) {
    self.init(
      .integrity, error.description, recoverySuggestion: "the store was altered; repair it with: coffer check --repair")
  }

  package init(_ error: FormatError) {
    guard error.code != .unsupportedVersion else {
      self.init(.upgradeNeeded, error.problem, recoverySuggestion: "upgrade Coffer")
      return
    }
    self.init(.integrity, error.problem, recoverySuggestion: "find the damage with: coffer check")
  }

  package init(_ error: EntitlementsError) {
    self.init(.notEntitled, error.problem, recoverySuggestion: error.suggestion)
  }

  package init(_ error: CryptoError) {
    switch error {
    case .authenticationFailed:
      self.init(
        .authenticationFailed, "wrong passphrase or key", recoverySuggestion: "try again with that of this machine")
    case .invalidSize, .invalidPublicKey, .parametersRefused:
      self.init(
        .integrity, "a stored key is malformed (\(error))",
        recoverySuggestion: "restore the vault's folder from a backup, or clone the vault again with the vault key")
    case .outOfMemory:
      self.init(
        .io, "there is not enough memory to derive a key from the passphrase",
        recoverySuggestion: "end other programs or add memory, then try again")
    }
  }

  /// Translates any error of the lower layers. An error of another type is a fault in Coffer.
  package init(translating error: any Error) {
    switch error {
    case let error as VaultError: self = error
    case let error as StoreError: self.init(error)
    case let error as TrustError: self.init(error)
    case let error as FormatError: self.init(error)
    case let error as EntitlementsError: self.init(error)
    case let error as CryptoError: self.init(error)
    default: self.init(.io, "unexpected error of kind \(type(of: error))")
    }
  }
}

/// Runs `body` and translates whatever it throws into a ``VaultError``.
package func translatingErrors<Result>(_ body: () throws -> Result) throws(VaultError) -> Result {
  do {
    return try body()
  } catch {
    throw VaultError(translating: error)
  }
}

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
  let (code, suggestion): (VaultError.Code, String?) =
    switch number {
    case ENOSPC, EDQUOT: (.diskFull, "free some space; nothing was changed")
    case EROFS: (.readOnly, readOnlyDiskSuggestion)
    case EACCES, EPERM: (.readOnly, "check the owner and the mode of the folder and its files")
    case EIO: (.io, "check the disk, then try again")
    case EMFILE, ENFILE, ENOMEM: (.io, "end other programs, then try again")
    default: (.io, nil)
    }
  return VaultError(code, "cannot \(action): \(reason)", recoverySuggestion: suggestion)
}

/// Deletes a file or a folder as `removeTree` does.
package func deleteTree(_ path: String) throws(VaultError) {
  do throws(SystemError) {
    try removeTree(path)
  } catch {
    throw VaultError(.io, "\(error)", recoverySuggestion: "delete it, and try again")
  }
}

/// What to do about a file system that is mounted read-only.
let readOnlyDiskSuggestion =
  "mount the file system writable, or copy the folder with `vaults` to another disk, and name the copy in COFFER_HOME"
