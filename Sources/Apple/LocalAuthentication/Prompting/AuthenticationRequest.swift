internal import Synchronization

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
