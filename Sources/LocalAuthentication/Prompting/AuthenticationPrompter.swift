internal import CofferSystem
internal import Synchronization

/// What asks the person at the machine.
///
/// Linux has no one dialog for passphrases, so the program chooses: ``TerminalPrompter``, ``PinentryPrompter`` or its
/// own, set as ``AuthenticationPrompt/prompter``. While none is set, whatever would have to ask fails with
/// `LAError.notInteractive`, in Keychain calls `errSecInteractionNotAllowed`.
public protocol AuthenticationPrompter: Sendable {
  /// Asks and waits for the answer. Called on a thread that may block, never twice at once for one context.
  ///
  /// A thread that waits for the answer of another one, through the same context, is blocked meanwhile: a prompter that needs the main
  /// thread must not be asked from it.
  ///
  /// It should look at ``AuthenticationRequest/isCancelled`` at least ten times a second and then stop asking.
  func ask(_ request: AuthenticationRequest) -> AuthenticationAnswer
}

/// What the person is asked for. Show texts as texts: they come from the app, which may have them from elsewhere.
public final class AuthenticationRequest: Sendable {
  /// The secrets that can be asked for.
  public enum Secret: Hashable, Sendable {
    /// The passphrase of the vault's owner.
    case passphrase
    /// A password that the app's item is under.
    case applicationPassword
    /// A password that an item of the app is to be put under.
    case newApplicationPassword
    /// The same once more, so that a slip of the fingers does not lock the item for ever.
    case repeatedApplicationPassword
  }

  /// What is asked for.
  public let secret: Secret
  /// Why, in the app's words.
  public let reason: String
  /// 0, and more by 1 for each wrong answer.
  public let failedAttempts: Int
  /// What the app wants to have written on the button that cancels.
  public let cancelTitle: String?
  private let cancelled = Atomic(false)

  /// Makes a request; programs do so only to test their prompter.
  public init(secret: Secret, reason: String, failedAttempts: Int = 0, cancelTitle: String? = nil) {
    self.secret = secret
    self.reason = reason
    self.failedAttempts = failedAttempts
    self.cancelTitle = cancelTitle
  }

  /// True once nobody wants the answer any more.
  public var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  /// Ends the asking.
  public func cancel() { cancelled.store(true, ordering: .relaxed) }
}

/// What came of asking.
public enum AuthenticationAnswer: Sendable {
  /// What was typed; nobody has checked it.
  case passphrase(Passphrase)
  /// The person, or the request, was cancelled.
  case cancelled
  /// There is no terminal or no program to ask with.
  case unavailable
}

/// The program's prompter.
public enum AuthenticationPrompt {
  private static let current = Mutex<(any AuthenticationPrompter)?>(nil)

  /// What asks the person at the machine; nil, the default, asks nobody.
  public static var prompter: (any AuthenticationPrompter)? {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }
}

extension String {
  /// The text in one line that cannot control a terminal, at most 1,000 scalars of it.
  var asTerminalLine: String { sanitizedForTerminal(limit: 1_000, foldsWhiteSpace: true) }
}
