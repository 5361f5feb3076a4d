package import CofferCrypto
package import CofferFormat
package import CofferStore
package import CofferTrust

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Translates the errors of the lower layers, at one place.
extension VaultError {
  package init(_ error: StoreError) {
    let detail = "the vault's store at \(error.path): \(error.detail)"
    switch error.code {
    case .missing: self.init(.noVault, detail, recoverySuggestion: "create one with: coffer init")
    case .alreadyExists: self.init(.vaultExists, detail)
    case .busy: self.init(.io, detail, recoverySuggestion: "another program is using it; try again")
    case .corrupt:
      let folder = VaultFolder(URL(fileURLWithPath: error.path).deletingLastPathComponent())
      self.init(.integrity, detail, recoverySuggestion: folder.rejoinSuggestion)
    case .versionTooNew: self.init(.upgradeNeeded, detail, recoverySuggestion: "upgrade Coffer")
    case .readOnly: self.init(.readOnly, detail, recoverySuggestion: readOnlyDiskSuggestion)
    case .permissionDenied:
      self.init(.readOnly, detail, recoverySuggestion: "check the owner and the mode of the folder and its files")
    case .diskFull: self.init(.diskFull, detail, recoverySuggestion: "free some space; nothing was changed")
    case .io: self.init(.io, detail)
    }
  }

  package init(_ error: TrustError) {
    self.init(
      .integrity, error.description, recoverySuggestion: "the store was altered; repair it with: coffer check --repair")
  }

  package init(_ error: FormatError) {
    self.init(error.code == .unsupportedVersion ? .upgradeNeeded : .integrity, error.description)
  }

  package init(_ error: EntitlementsError) { self.init(.notEntitled, error.description) }

  package init(_ error: CryptoError) {
    switch error {
    case .authenticationFailed: self.init(.authenticationFailed, "wrong passphrase or key")
    case .invalidSize, .invalidPublicKey, .parametersRefused:
      self.init(.integrity, "a stored key is malformed (\(error))")
    case .outOfMemory: self.init(.io, "there is not enough memory to derive a key from the passphrase")
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
