internal import CofferFormat
package import CofferGit
internal import CofferSystem
internal import CofferTrust
package import CofferVault

/// An object at the remote that cannot be used: the remote's fault.
///
/// An object that is missing or damaged is the remote's fault if the cache was fetched anew (see ``Repository/isNew``).
/// Any other error while an object is examined (a damaged cache, a full disk, an altered store) is a failure of this
/// machine. If it were reported as the remote's, it would never be repaired.
struct UnsoundObject: Error {
  /// Why it cannot be used, as a clause.
  let reason: String
  let verdict: Verdict

  /// What is done with the object.
  enum Verdict {
    /// Nothing that arrives later can make it valid: the next commit removes it.
    case invalid
    /// The log refuses it for good, and what it contains is kept or lost to nobody: the next commit removes it, and it
    /// is not read again.
    case refused
    /// It has a form, a key or a machine that an entry of the log must announce. It is removed if the log is complete.
    case unannounced
    /// The host withholds it, or an entry that this machine does not have may explain it. It stays.
    case unverified
  }

  /// Whether the host does not send its content, or none that can be read.
  private(set) var isUnread = false

  init(_ reason: String, _ verdict: Verdict = .unverified) {
    self.reason = reason
    self.verdict = verdict
  }

  /// Returns the result of `body`; nil if it finds that an object cannot be used.
  @discardableResult
  static func ignoring<Result>(_ body: () throws -> Result) throws -> Result? {
    do {
      return try body()
    } catch {
      guard UnsoundObject(error) != nil else { throw error }
      return nil
    }
  }

  /// Converts an error that an object caused. Returns nil for an error of another kind. Errors from this machine's own
  /// data must be translated before, because they can have the same types.
  init?(_ error: any Error) {
    switch error {
    case let error as UnsoundObject: self = error
    case let error as FormatError:
      self.init(error.description, error.code == .unsupportedVersion ? .unannounced : .invalid)
    case let error as TrustError: self.init(error.description)
    case EpochSignatureError.notOfAdmin: self.init("the machine that signed it is not an admin's", .unannounced)
    case EpochSignatureError.invalid(let error): self.init(error.description, .invalid)
    case let error as GitError where error.isFaultOfObject:
      self.init(error.message, error.code == .unreadable ? .unverified : .invalid)
      isUnread = true
    default: return nil
    }
  }
}

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

  /// The error for a repository of which nobody can read what a vault begins with. `what` says what is wrong.
  static func damagedVault(_ url: RemoteURL, _ what: String) -> VaultError {
    VaultError(
      .integrity, "\(url) is a damaged vault: \(what)", recoverySuggestion: "check the URL, or restore the repository")
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
