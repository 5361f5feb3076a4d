internal import CofferFormat
internal import CofferGit
internal import CofferTrust

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
    /// The log refuses it for good, and what it contains is kept or lost to nobody: the next commit removes it, and it is
    /// not read again.
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
