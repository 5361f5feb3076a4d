package import Coffer
package import CofferCrypto
internal import CofferSystem
internal import Synchronization

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

/// The prompter of this process.
public enum AuthenticationPrompt {
  private static let current = Mutex<(any AuthenticationPrompter)?>(nil)

  /// The prompter that asks the user; nil, the default, for none. In tests without one, the environment variables
  /// `COFFER_PROMPT` and `COFFER_MEMORY_PROMPT` can answer.
  public static var prompter: (any AuthenticationPrompter)? {
    get { current.withLock { $0 } }
    set {
      current.withLock { $0 = newValue }
      Vault.registrationPrompt = newValue == nil ? nil : askForRegistration
    }
  }

  /// Asks for the passphrase with which an app is registered at its first launch; nil if the user cancels.
  private static func askForRegistration(_ request: AppRegistrationRequest) throws(VaultError) -> SecretText? {
    let answer = prompter?.ask(
      AuthenticationRequest(
        secret: .passphrase, reason: request.description, failedAttempts: request.isRepeated ? 1 : 0))
    switch answer {
    case .passphrase(let passphrase): return passphrase.secret
    case .cancelled: return nil
    case .unavailable, nil:
      throw VaultError(
        .locked,
        "\(request.application) is not registered, and there is no terminal or dialog to ask for the passphrase",
        recoverySuggestion: "register it with: coffer app add \(request.plist)")
    }
  }

  /// Returns the prompter that asks for the secrets of a vault: the program's or, if there is none and a test has
  /// prepared answers, one that gives those; otherwise nil. `accepts` returns whether a password opens the item that is
  /// prompted for, nil if there is no item. Throws `notInteractive` if the prepared answers cannot be read.
  package static func prompter(
    for vault: Vault?, accepts: (@Sendable (Passphrase) -> Bool)? = nil
  ) throws(LAError) -> (any AuthenticationPrompter)? {
    if let prompter { return prompter }
    do throws(VaultError) {
      return try vault?.scriptedPrompts.map { PreparedPrompter(prompts: $0, accepts: accepts) }
    } catch {
      throw LAError(.notInteractive, error.description)
    }
  }
}

/// A request for a secret. Display its strings as plain text: they come from the app and may contain untrusted input.
public final class AuthenticationRequest: Sendable {
  /// The kinds of secrets that can be requested.
  public enum Secret: Hashable, Sendable {
    /// The passphrase of the vault's owner.
    case passphrase
    /// The password that protects an existing item of the app.
    case applicationPassword
    /// The password that will protect a new item of the app.
    case newApplicationPassword
    /// The new password again, so that a typing error cannot make the item unreadable.
    case repeatedApplicationPassword
  }

  /// How often prompters check whether a request was cancelled, in milliseconds.
  static let pollMilliseconds: Int32 = 100

  /// The kind of secret.
  public let secret: Secret
  /// The reason that the app gives.
  public let reason: String
  /// The number of wrong answers so far.
  public let failedAttempts: Int
  /// The app's title for the cancel button; nil for the prompter's own.
  public let cancelTitle: String?
  private let cancelled = Atomic(false)

  /// Creates a request. Programs need this only to test their prompter.
  public init(secret: Secret, reason: String, failedAttempts: Int = 0, cancelTitle: String? = nil) {
    self.secret = secret
    self.reason = reason
    self.failedAttempts = failedAttempts
    self.cancelTitle = cancelTitle
  }

  /// True after the request was cancelled: its answer is no longer used.
  public var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  /// Cancels the request.
  public func cancel() { cancelled.store(true, ordering: .relaxed) }
}

extension AuthenticationRequest.Secret {
  /// The label in front of the input.
  var prompt: String {
    switch self {
    case .passphrase: "Passphrase"
    case .applicationPassword: "Password"
    case .newApplicationPassword: "New password"
    case .repeatedApplicationPassword: "Repeat new password"
    }
  }

  /// The message that is shown after an answer was not accepted.
  var refusal: String {
    switch self {
    case .passphrase: "Wrong passphrase. Try again."
    case .applicationPassword: "Wrong password. Try again."
    case .newApplicationPassword, .repeatedApplicationPassword: "The passwords are empty or do not match. Try again."
    }
  }
}

/// A prompter's answer to a request.
public enum AuthenticationAnswer: Sendable {
  /// The secret that was typed, not yet verified.
  case passphrase(Passphrase)
  /// The user or the program cancelled the request.
  case cancelled
  /// There is no terminal or dialog program to ask with.
  case unavailable
}

/// A passphrase or password in memory that is wiped when the last reference is released.
///
/// It has no description and cannot be encoded, so that it does not get into logs or files by accident.
public final class Passphrase: Sendable {
  /// The maximum length, in bytes.
  public static let maximumByteCount = 1024

  package let secret: SecretText

  /// Moves the bytes out of an array, leaving it empty.
  ///
  /// The array's own bytes are wiped only if its storage is not shared with another array.
  public init(moving bytes: inout [UInt8]) { secret = SecretText(moving: &bytes) }

  /// Creates a passphrase of bytes in guarded memory.
  package init(_ secret: SecretText) { self.secret = secret }

  /// True if a key can be derived from a passphrase of this length.
  package var isUsable: Bool { PasswordHash.passphraseByteCounts.contains(secret.count) }
}

extension Passphrase: Equatable {
  /// Returns whether both have the same bytes.
  public static func == (left: Passphrase, right: Passphrase) -> Bool { left.secret == right.secret }
}
