/// An error of a repository, or of a transfer from or to a remote.
///
/// `message` says what happened; `context` names the URL, path, reference or object concerned. Neither holds a password:
/// `RemoteURL` refuses URLs with one.
package struct GitError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of an error. New codes may be added: a `switch` needs a default.
  package struct Code: Hashable, Sendable, CustomStringConvertible {
    package let description: String

    init(description: String) { self.description = description }

    /// The text is no URL or path that can be used.
    package static let invalidURL = Code(description: "invalidURL")
    /// The URL is well formed, but its transport is not supported.
    package static let unsupportedScheme = Code(description: "unsupportedScheme")
    /// The connection failed: the name does not resolve, the port is closed, or the network is down.
    package static let unreachable = Code(description: "unreachable")
    /// The remote did not accept this user's key, or its own host key is unknown or wrong.
    package static let authenticationFailed = Code(description: "authenticationFailed")
    /// No repository exists at the remote's path. The message names it.
    package static let noRepository = Code(description: "noRepository")
    /// The local repository, or the object that the caller named, does not exist.
    package static let notFound = Code(description: "notFound")
    /// The remote was silent for longer than the limits allow.
    package static let timedOut = Code(description: "timedOut")
    package static let cancelled = Code(description: "cancelled")
    /// The data exceeds the caller's limit.
    package static let tooLarge = Code(description: "tooLarge")
    /// An argument cannot be used, for example a path or the name of a reference.
    package static let rejected = Code(description: "rejected")
    /// Another process, or another object in this one, uses the repository.
    package static let locked = Code(description: "locked")
    /// The local repository is damaged or incomplete: delete it and create it again.
    package static let corrupt = Code(description: "corrupt")
    /// An object is of another kind than the tree that names it says: the tree is wrong.
    package static let otherKind = Code(description: "otherKind")
    /// An object is missing or damaged although this process has fetched the whole repository: the remote's fault.
    package static let unreadable = Code(description: "unreadable")
    /// No space is left, here or at the remote.
    package static let diskFull = Code(description: "diskFull")
    /// The operating system, or git's check of ownership, refused.
    package static let permissionDenied = Code(description: "permissionDenied")
    /// `ssh` or `git` is not installed, here or at the remote.
    package static let missingProgram = Code(description: "missingProgram")
    /// The remote did not speak git's protocol, or closed the connection.
    package static let protocolError = Code(description: "protocolError")
    /// Any other error of the operating system.
    package static let io = Code(description: "io")
  }

  package let code: Code
  package let message: String
  package let context: String
  /// What the user can do, as an instruction; nil if there is no advice.
  package let recoverySuggestion: String?

  /// Whether an object of the remote is at fault, and not the repository here.
  package var isFaultOfObject: Bool { [.tooLarge, .otherKind, .unreadable].contains(code) }

  /// Returns the result of `body`; nil if an object is at fault itself.
  package static func ignoringFaults<Value>(
    _ body: () throws(GitError) -> Value
  ) throws(GitError) -> Value? {
    do throws(GitError) {
      return try body()
    } catch {
      guard error.isFaultOfObject else { throw error }
      return nil
    }
  }

  /// Whether what was fetched can be at fault, and not the connection or the machine: a fetch of other references may succeed.
  package var isFaultOfReference: Bool { isFaultOfObject || [.protocolError, .corrupt].contains(code) }

  package init(_ code: Code, _ message: String, context: String, recoverySuggestion: String? = nil) {
    self.code = code
    self.message = message
    self.context = context
    self.recoverySuggestion = recoverySuggestion
  }

  package var description: String { "\(context): \(message) (\(code))" }

  /// What to do about a remote with a damaged repository.
  package static let damageSuggestion =
    "find the damage with `git fsck` there; or create an empty repository, and fill it from a machine that has the "
    + "vault: coffer remote set URL && coffer sync"
}
