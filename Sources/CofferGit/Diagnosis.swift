internal import CofferSystem

/// Finds out why a connection failed, from the messages that git or ssh printed.
///
/// A hostile remote can print anything, so the result only chooses the code and the wording of an error.
struct Diagnosis {
  let exit: ChildProcess.Exit?
  let messages: String
  let remote: RemoteURL

  private struct Rule {
    let code: GitError.Code
    let recoverySuggestion: String
    let phrases: [String]

    init(_ code: GitError.Code, _ phrases: String..., recoverySuggestion: String = "") {
      self.code = code
      self.phrases = phrases
      self.recoverySuggestion = recoverySuggestion
    }
  }

  // Only ssh itself prints these, and then exits with 255.
  private static let sshRules = [
    Rule(
      .authenticationFailed, "remote host identification has changed", "host key verification failed",
      "host key is known",
      recoverySuggestion:
        "The host key is unknown or has changed. Compare it with the server's, then connect once with ssh to accept it"
    ),
    Rule(
      .authenticationFailed, "permission denied (", "too many authentication failures", "no supported authentication",
      recoverySuggestion: "The server refused the login. Check the user and the key by connecting with ssh"),
    Rule(.timedOut, "connection timed out", "operation timed out"),
    Rule(
      .unreachable, "could not resolve hostname", "connection refused", "no route to host", "network is unreachable",
      "connection closed", "connection reset", "kex_exchange_identification", "host is down"),
    Rule(
      .io, "bad configuration option", "bad owner or permissions",
      recoverySuggestion: "ssh does not accept its configuration file"),
    Rule(.protocolError, "unable to negotiate", "no matching"),
  ]

  private static let gitRules = [
    Rule(
      .permissionDenied, "dubious ownership",
      recoverySuggestion: "The repository belongs to another user. If you trust it, run at the remote: "
        + "git config --global --add safe.directory PATH"),
    Rule(.diskFull, "no space left on device", "disk quota exceeded"),
    Rule(
      .notFound, "does not appear to be a git repository", "not a git repository", "repository not found",
      "could not be found", "no such file or directory", "no such directory",
      recoverySuggestion:
        "Create the repository at the remote first, for example with git init --bare, and check the path"),
    Rule(
      .missingProgram, "command not found", "git-upload-pack: not found", "git-receive-pack: not found",
      recoverySuggestion: "Install git at the remote"),
    Rule(.permissionDenied, "permission denied", "insufficient permission", "read-only file system", "access denied"),
  ]

  /// Returns the error to report, or nil if the messages do not explain it.
  func error() -> GitError? {
    let text = messages.lowercased()
    var rules = Self.gitRules
    if remote.isSSH, exit == .code(255) { rules = Self.sshRules + rules }
    for rule in rules where rule.phrases.contains(where: text.contains) {
      let message =
        rule.recoverySuggestion.isEmpty ? messages : "\(rule.recoverySuggestion). The remote said: \(messages)"
      return GitError(rule.code, message, context: remote.description)
    }
    if exit == .code(127) {
      return GitError(
        .missingProgram, "the remote could not start git. Install it there. The remote said: \(messages)",
        context: remote.description)
    }
    if remote.isSSH, exit == .code(255) {
      return GitError(.unreachable, "ssh failed: \(messages)", context: remote.description)
    }
    return nil
  }
}
