/// What went wrong in a repository or on the way to a remote.
///
/// `message` says what happened and, where there is one, the mend; `context` says where: a URL, a path or a
/// reference. Neither holds a password: `RemoteURL` refuses them.
package struct GitError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What kind of failure this is. Open: a `switch` needs a default.
  package struct Code: Hashable, Sendable, CustomStringConvertible {
    package let description: String

    /// The text is not a URL or path that can be used.
    package static let invalidURL = Code(description: "invalidURL")
    /// The URL is well formed, but its transport is not supported.
    package static let unsupportedScheme = Code(description: "unsupportedScheme")
    /// No connection: the name does not resolve, the port is closed, the network is down.
    package static let unreachable = Code(description: "unreachable")
    /// The remote did not accept who we are, or is not who it should be (its host key).
    package static let authenticationFailed = Code(description: "authenticationFailed")
    /// There is no repository at that place, or no such object where the caller named one.
    package static let notFound = Code(description: "notFound")
    /// The remote was silent for longer than the limits allow.
    package static let timedOut = Code(description: "timedOut")
    /// `Cancellation.cancel()` was called.
    package static let cancelled = Code(description: "cancelled")
    /// More than the limit that the caller gave.
    package static let tooLarge = Code(description: "tooLarge")
    /// An argument that cannot be carried out: a path, a reference name.
    package static let rejected = Code(description: "rejected")
    /// Somebody else uses the repository.
    package static let locked = Code(description: "locked")
    /// The local repository is damaged or incomplete: delete it and make it anew.
    package static let corrupt = Code(description: "corrupt")
    /// An object is of another kind than the tree that names it says: whoever made the tree is at fault.
    package static let otherKind = Code(description: "otherKind")
    /// No space left, here or at the remote.
    package static let diskFull = Code(description: "diskFull")
    /// The operating system, or git's check of ownership, refuses.
    package static let permissionDenied = Code(description: "permissionDenied")
    /// `ssh` or `git` is not installed, here or at the remote.
    package static let missingProgram = Code(description: "missingProgram")
    /// The remote did not speak git's protocol, or broke off.
    package static let protocolError = Code(description: "protocolError")
    /// Any other failure of the operating system.
    package static let io = Code(description: "io")
  }

  package let code: Code
  package let message: String
  package let context: String

  package init(_ code: Code, _ message: String, context: String) {
    self.code = code
    self.message = message
    self.context = context
  }

  package var description: String { "\(context): \(message) (\(code))" }
}
