internal import CofferSystem

/// A type that asks the user for a passphrase or password.
///
/// Linux has no standard dialog for passphrases, so the program chooses: set ``TerminalPrompter``, ``PinentryPrompter``
/// or a type of your own as ``AuthenticationPrompt/prompter``. If none is set, every operation that would have to ask
/// fails with `LAError.notInteractive`; Keychain calls return `errSecInteractionNotAllowed`.
public protocol AuthenticationPrompter: Sendable {
  /// Asks the user and waits for the answer.
  ///
  /// Called on a thread that may block, and never concurrently for the same context. Other threads that use the same
  /// context block until the answer arrives, so do not dispatch to the main thread if the main thread may be one of
  /// them. Check ``AuthenticationRequest/isCancelled`` at least ten times a second, and return `.cancelled` when it is
  /// true.
  func ask(_ request: AuthenticationRequest) -> AuthenticationAnswer
}
