internal import CofferFormat
internal import CofferGit
internal import CofferTrust

/// An object at the remote that is not valid: the remote's fault.
///
/// An object that is missing or damaged is the remote's fault if the cache was fetched anew (see ``Repository/isNew``).
/// Any other error while an object is examined (a damaged cache, a full disk, an altered store) is a failure of this
/// machine. If it were reported as the remote's, it would never be repaired.
struct UnsoundObject: Error {
  /// Why it is not valid, as a clause.
  let reason: String

  init(_ reason: String) { self.reason = reason }

  /// Converts an error that an object caused. Returns nil for an error of another kind. Errors from this machine's own
  /// data must be translated before, because they can have the same types.
  init?(_ error: any Error) {
    switch error {
    case let error as UnsoundObject: self = error
    case let error as FormatError: reason = error.description
    case let error as TrustError: reason = error.description
    case let error as GitError where error.isFaultOfObject: reason = error.message
    default: return nil
    }
  }
}
