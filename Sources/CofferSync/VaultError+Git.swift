package import CofferGit
package import CofferVault

extension VaultError {
  /// Translates an error of the transfer or of the cache repository.
  package init(_ error: GitError) {
    let message = "\(error.context): \(error.message)"
    switch error.code {
    case .invalidURL, .unsupportedScheme: self.init(.invalidArgument, message)
    case .diskFull: self.init(.diskFull, message, recoverySuggestion: "free some space and sync again; nothing is lost")
    case .io: self.init(.io, message)
    case .locked: self.init(.io, message, recoverySuggestion: "wait until the other sync is done and try again")
    case .tooLarge, .corrupt, .otherKind, .unreadable: self.init(.integrity, message)
    default: self.init(.network, message)
    }
  }
}

/// Runs `body` and translates its errors, including those of git, into a ``VaultError``.
func translatingAll<Result>(_ body: () throws -> Result) throws(VaultError) -> Result {
  do {
    return try body()
  } catch let error as GitError {
    throw VaultError(error)
  } catch {
    throw VaultError(translating: error)
  }
}
