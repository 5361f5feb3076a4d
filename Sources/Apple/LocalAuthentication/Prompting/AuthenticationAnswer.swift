/// A prompter's answer to a request.
public enum AuthenticationAnswer: Sendable {
  /// The secret that was typed, not yet verified.
  case passphrase(Passphrase)
  /// The user or the program cancelled the request.
  case cancelled
  /// There is no terminal or dialog program to ask with.
  case unavailable
}
