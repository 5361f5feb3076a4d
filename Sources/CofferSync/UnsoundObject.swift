internal import CofferFormat
internal import CofferGit
internal import CofferTrust

/// An object at the remote that does not hold, and why: the remote's fault.
///
/// Whatever else is thrown while one is looked at (a damaged cache, a full disk, a store that somebody altered) is this machine's
/// failure. Taken for the remote's, it would be named in the wrong place and never mended.
struct UnsoundObject: Error {
  /// In words.
  let reason: String

  init(_ reason: String) { self.reason = reason }

  /// What `error` says of the object; nil where it says nothing of it. What is read of this machine's own must not get here
  /// untranslated.
  init?(_ error: any Error) {
    switch error {
    case let error as UnsoundObject: self = error
    case let error as FormatError: reason = error.description
    case let error as TrustError: reason = error.description
    case let error as GitError where [.tooLarge, .otherKind].contains(error.code): reason = error.message
    default: return nil
    }
  }
}
