internal import CGit2
internal import CofferPlatform
internal import CofferSystem

/// An error of a repository, or of a transfer from or to a remote.
///
/// `message` says what happened; `context` names the URL, path, reference or object concerned. Neither holds a
/// password: `RemoteURL` refuses URLs with one.
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
  package static func ignoringFaults<Value: ~Copyable>(
    _ body: () throws(GitError) -> Value
  ) throws(GitError) -> Value? {
    do throws(GitError) {
      return try body()
    } catch {
      guard error.isFaultOfObject else { throw error }
      return nil
    }
  }

  /// Whether what was fetched can be at fault, and not the connection or the machine: a fetch of other references may
  /// succeed.
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

extension GitError {
  /// Describes a failed system call.
  init(_ error: SystemError, context: String) {
    self = .system(error.number, error.action, context: context)
  }

  /// Reads an error of `coffer-transport`: code, message and recovery suggestion, separated by zero bytes.
  init(transportFailure bytes: [UInt8], context: String) {
    let fields = String(decoding: bytes, as: UTF8.self).split(separator: "\0", omittingEmptySubsequences: false)
    let name = fields.first.map(String.init) ?? ""
    let message = fields.dropFirst().first.map { String($0).asTerminalLine } ?? ""
    let suggestion = fields.dropFirst(2).first.map { String($0).asTerminalLine } ?? ""
    self.init(
      Code(description: name), message.isEmpty ? "the transfer failed" : message, context: context,
      recoverySuggestion: suggestion.isEmpty ? nil : suggestion)
  }

  /// Returns the error for a failed system call with an `errno`. `action` is the failed action as the beginning of a
  /// sentence, for example "cannot lock", and `context` the path or remote concerned.
  static func system(_ number: Int32, _ action: String, context: String) -> GitError {
    let text = "\(action): \(systemMessage(number))"
    return GitError(code(ofSystemError: number), text, context: context)
  }

  /// Returns the error for a failed call of libgit2, which has returned `result`. libgit2 keeps the text of an error
  /// per thread and only until its next error, so this must be called directly after the call. `context` is the path,
  /// reference, object or remote concerned. With `isOfRemote`, an error for which libgit2 has no text is one of what a
  /// remote has sent.
  static func libgit2(_ result: Int32, context: String, isOfRemote: Bool = false) -> GitError {
    let systemError = errno
    var text = isOfRemote ? "what the remote sent is malformed" : "libgit2 returned \(result)"
    let unexplained: Code = isOfRemote ? .protocolError : .io
    var category: UInt32 = 0
    // A transfer looks up settings that nobody has made, and leaves the text of that for errors that record none.
    if let last = unsafe git_error_last(),
      unsafe !isOfRemote || last.pointee.klass != Int32(GIT_ERROR_CONFIG.rawValue)
    {
      if let message = unsafe last.pointee.message { text = unsafe String(cString: message).asTerminalLine }
      category = UInt32(bitPattern: unsafe last.pointee.klass)
    }
    git_error_clear()
    switch git_error_code(result) {
    case GIT_ELOCKED:
      return GitError(.locked, text, context: context)
    case GIT_EOWNER:
      return GitError(
        .permissionDenied, "\(text). The folder belongs to another user", context: context,
        recoverySuggestion: "run as its owner, or delete it")
    case GIT_EMISMATCH, GIT_EUNCOMMITTED:
      return GitError(.corrupt, text, context: context)
    case GIT_EINVALIDSPEC:
      return GitError(.rejected, text, context: context)
    default: break
    }
    for number in [ENOSPC, EDQUOT, EACCES, EPERM, EROFS] where text.contains(systemMessage(number)) {
      return GitError(code(ofSystemError: number), text, context: context)
    }
    switch git_error_t(category) {
    case GIT_ERROR_ZLIB, GIT_ERROR_ODB, GIT_ERROR_OBJECT, GIT_ERROR_TREE, GIT_ERROR_REFERENCE, GIT_ERROR_REPOSITORY,
      GIT_ERROR_CONFIG, GIT_ERROR_SHA:
      return GitError(.corrupt, text, context: context)
    case GIT_ERROR_INVALID where text.hasPrefix("failed to apply delta"):
      return GitError(.corrupt, text, context: context)
    case GIT_ERROR_NOMEMORY:
      return GitError(.tooLarge, "an object is larger than this machine reads", context: context)
    case GIT_ERROR_NET, GIT_ERROR_INDEXER, GIT_ERROR_SSH, GIT_ERROR_HTTP:
      return GitError(.protocolError, text, context: context)
    case GIT_ERROR_NONE where [ENOSPC, EDQUOT].contains(systemError):
      // libgit2 records no text if a loose object does not fit on the disk.
      return .system(systemError, "cannot write", context: context)
    case GIT_ERROR_NONE where result != GIT_ENOTFOUND.rawValue:
      return GitError(unexplained, text, context: context)
    default:
      return GitError(result == GIT_ENOTFOUND.rawValue ? .corrupt : .io, text, context: context)
    }
  }

  private static func code(ofSystemError number: Int32) -> Code {
    switch number {
    case ENOSPC, EDQUOT: .diskFull
    case EACCES, EPERM, EROFS: .permissionDenied
    case ENOENT: .notFound
    default: .io
    }
  }

  private static func systemMessage(_ number: Int32) -> String {
    unsafe String(cString: strerror(number))
  }
}

extension String {
  /// Text from git, ssh or a server as one line that cannot control a terminal, at most 8,192 scalars of it.
  var asTerminalLine: String { sanitizedForTerminal(limit: 8_192, foldsWhiteSpace: true) }
}

/// Finds out why a connection failed, from the messages that git or ssh printed.
///
/// A hostile remote can print anything, so the result only chooses the code and the wording of an error.
struct Diagnosis {
  let exit: ChildProcess.Exit?
  let messages: String
  let remote: RemoteURL
  let programs: TransportPrograms

  private struct Rule {
    let code: GitError.Code
    /// What happened; nil if the messages say it themselves.
    let summary: String?
    let recoverySuggestion: String?
    let phrases: [String]

    init(_ code: GitError.Code, _ phrases: String..., summary: String? = nil, recoverySuggestion: String? = nil) {
      self.code = code
      self.phrases = phrases
      self.summary = summary
      self.recoverySuggestion = recoverySuggestion
    }
  }

  // Only ssh itself prints these, and then exits with 255.
  private static let sshRules = [
    Rule(
      .authenticationFailed, "remote host identification has changed", "host key verification failed",
      "host key is known", summary: "the host key is unknown or has changed",
      recoverySuggestion: "compare it with the server's, then "),
    Rule(
      .authenticationFailed, "permission denied (", "too many authentication failures", "no supported authentication",
      summary: "the server refused the login", recoverySuggestion: "check the user and the key; "),
    Rule(.timedOut, "connection timed out", "operation timed out"),
    Rule(
      .unreachable, "could not resolve hostname", "connection refused", "no route to host", "network is unreachable",
      "connection closed", "connection reset", "kex_exchange_identification", "host is down"),
    Rule(
      .io, "bad configuration option", "bad owner or permissions",
      summary: "ssh does not accept its configuration file"),
    Rule(.protocolError, "unable to negotiate", "no matching"),
  ]

  private static let gitRules = [
    Rule(
      .permissionDenied, "dubious ownership", summary: "the repository belongs to another user",
      recoverySuggestion: "if you trust it, run at the remote: git config --global --add safe.directory PATH"),
    Rule(.diskFull, "no space left on device", "disk quota exceeded"),
    Rule(
      .protocolError, "corruption on the remote side", summary: "the repository at the remote is damaged",
      recoverySuggestion: GitError.damageSuggestion),
    Rule(
      .noRepository, "does not appear to be a git repository", "not a git repository", "repository not found",
      "could not be found", "access denied or repository not exported", "no such repository",
      "no such file or directory", "no such directory"
    ),
    Rule(
      .missingProgram, "command not found", "git-upload-pack: not found", "git-receive-pack: not found",
      recoverySuggestion: "install git at the remote"),
    Rule(.permissionDenied, "permission denied", "insufficient permission", "read-only file system", "access denied"),
  ]

  /// Returns the error to report, or nil if the messages do not explain it.
  func error() -> GitError? {
    let text = messages.lowercased()
    let isFailureOfSSH = remote.isSSH && exit == .code(255)
    if isFailureOfSSH, let rule = Self.sshRules.first(where: { $0.phrases.contains(where: text.contains) }) {
      return GitError(
        rule.code, explained(rule.summary), context: remote.description,
        recoverySuggestion: (rule.recoverySuggestion ?? "") + (remote.sshAdvice(programs) ?? ""))
    }
    if let rule = Self.gitRules.first(where: { $0.phrases.contains(where: text.contains) }) {
      return GitError(
        rule.code, rule.code == .noRepository ? missingRepository : explained(rule.summary),
        context: remote.description, recoverySuggestion: rule.recoverySuggestion)
    }
    if remote.hidesMessages, let error = failureOfTransport { return error }
    if exit == .code(127) {
      return GitError(
        .missingProgram, explained("the remote could not start git"), context: remote.description,
        recoverySuggestion: "install git at the remote")
    }
    guard isFailureOfSSH else { return nil }
    return GitError(
      .unreachable, "ssh failed: \(messages)", context: remote.description,
      recoverySuggestion: remote.sshAdvice(programs))
  }

  /// The error for a `coffer-transport` that has failed.
  private var failureOfTransport: GitError? {
    switch exit {
    case .code(1):
      GitError(
        .unreachable, messages, context: remote.description, recoverySuggestion: "check the URL and the network")
    case .signal(let number):
      GitError(.io, "coffer-transport was ended by signal \(number)", context: remote.description)
    default: nil
    }
  }

  /// git at this machine says no more than that. A server may give another reason, such as a missing right.
  private var missingRepository: String {
    let what = "no git repository at \(remote)"
    return remote.isSSH ? explained(what) : what
  }

  /// Returns the messages after a summary of them, if there is one.
  private func explained(_ summary: String?) -> String {
    guard let summary else { return messages }
    return "\(summary); the remote said: \(messages)"
  }
}
