package import Coffer
package import CofferGit

extension VaultError {
  /// What went wrong on the way to the remote, or in the cache of it.
  package init(_ error: GitError) {
    let message = "\(error.context): \(error.message)"
    switch error.code {
    case .invalidURL, .unsupportedScheme: self.init(.invalidArgument, message)
    case .diskFull: self.init(.diskFull, message, mend: "free some space and sync again; nothing is lost")
    case .io: self.init(.io, message)
    case .locked: self.init(.io, message, mend: "wait until the other sync is done and try again")
    case .tooLarge, .corrupt, .otherKind: self.init(.integrity, message)
    default: self.init(.network, message)
    }
  }
}

/// Runs `body` and turns its errors, git's among them, into a ``VaultError``.
func translatingAll<Result>(_ body: () throws -> Result) throws(VaultError) -> Result {
  do {
    return try body()
  } catch let error as GitError {
    throw VaultError(error)
  } catch {
    throw VaultError(translating: error)
  }
}
