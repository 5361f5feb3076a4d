internal import CofferSystem

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
