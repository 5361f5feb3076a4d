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
  /// Whether nothing that arrives later can make it valid, so that the next commit removes it. False for an object that
  /// the host withholds, that a newer program may have written, or that an entry of the log may explain which this
  /// machine does not have.
  let isInvalid: Bool

  init(_ reason: String, isInvalid: Bool = false) {
    self.reason = reason
    self.isInvalid = isInvalid
  }

  /// Converts an error that an object caused. Returns nil for an error of another kind. Errors from this machine's own
  /// data must be translated before, because they can have the same types.
  init?(_ error: any Error) {
    switch error {
    case let error as UnsoundObject: self = error
    case let error as FormatError: self.init(error.description, isInvalid: error.code != .unsupportedVersion)
    case let error as TrustError: self.init(error.description)
    case let error as GitError where error.isFaultOfObject:
      self.init(error.message, isInvalid: error.code != .unreadable)
    default: return nil
    }
  }
}
