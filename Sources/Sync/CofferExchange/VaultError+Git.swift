package import CofferGit
internal import CofferSystem
package import CofferVault

extension VaultError {
  /// Translates an error of the transfer or of the cache repository.
  package init(_ error: GitError) {
    let (code, recoverySuggestion): (Code, String?) =
      switch error.code {
      case .invalidURL, .unsupportedScheme: (.invalidArgument, "give a URL such as https://HOST/PATH, or a path")
      case .diskFull: (.diskFull, "free some space and sync again; nothing is lost")
      case .io: (.io, nil)
      case .locked: (.io, "wait until the other sync is done and try again")
      case .tooLarge, .corrupt, .otherKind, .unreadable: (.integrity, GitError.damageSuggestion)
      case .noRepository: (.network, "check the path")
      case .timedOut: (.network, "try again in a while; nothing is lost")
      case .unreachable: (.network, "check the URL and the network, then try again")
      case .authenticationFailed: (.network, "check the user, and the key or password")
      case .permissionDenied: (.network, "check the owner and the mode of the repository and its files")
      case .missingProgram: (.network, "install it, then try again")
      case .protocolError: (.network, Self.retrySuggestion(after: error))
      case .cancelled: (.cancelled, nil)
      default: (.network, nil)
      }
    self.init(
      code, error.code == .noRepository ? error.message : "\(error.context): \(error.message)",
      recoverySuggestion: error.recoverySuggestion ?? recoverySuggestion)
  }

  /// A URL has no password here, and another context is no remote that somebody can list.
  private static func retrySuggestion(after error: GitError) -> String {
    guard [":", "/"].contains(where: error.context.contains), (try? RemoteURL(error.context)) != nil else {
      return "try again"
    }
    return "try again; if that does not help, see what is there with: git ls-remote \(error.context.shellWord)"
  }
}

/// Runs `body` and translates its errors, including those of git, into a ``VaultError``. If a remote with which this
/// machine has not synced yet has no repository, the error says how to create one.
func translatingAll<Result>(
  suggestingCreationOf newRemote: RemoteURL? = nil, _ body: () throws -> Result
) throws(VaultError) -> Result {
  do {
    return try body()
  } catch let error as GitError {
    let translated = VaultError(error)
    guard error.code == .noRepository, let newRemote else { throw translated }
    throw VaultError(translated.code, translated.message, recoverySuggestion: newRemote.creationAdvice)
  } catch {
    throw VaultError(translating: error)
  }
}
