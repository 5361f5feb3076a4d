public import Foundation

/// The error domain of this module.
public let LAErrorDomain = "com.apple.LocalAuthentication"

/// An error of an authentication, with Apple's codes.
public struct LAError: _BridgedStoredNSError {
  /// The error codes.
  public enum Code: Int, _ErrorCodeProtocol, Sendable {
    /// The error type that has these codes.
    public typealias _ErrorType = LAError

    /// The passphrase was wrong each time.
    case authenticationFailed = -1
    /// The user cancelled.
    case userCancel = -2
    /// The user chose the fallback button. Never thrown on Linux.
    case userFallback = -3
    /// The system cancelled. Never thrown on Linux.
    case systemCancel = -4
    /// The machine's owner has no passphrase.
    case passcodeNotSet = -5
    /// There is no biometric sensor: always the case on Linux.
    case biometryNotAvailable = -6
    /// No biometric data is enrolled. Never thrown on Linux.
    case biometryNotEnrolled = -7
    /// The biometric sensor is locked. Never thrown on Linux.
    case biometryLockout = -8
    /// The app invalidated the context during the prompt.
    case appCancel = -9
    /// The context was invalidated before the call.
    case invalidContext = -10
    /// There is no companion device nearby: always the case on Linux.
    case companionNotAvailable = -11
    /// The biometric sensor is not paired. Never thrown on Linux.
    case biometryNotPaired = -12
    /// The biometric sensor is not connected. Never thrown on Linux.
    case biometryDisconnected = -13
    /// The view has invalid dimensions. Never thrown on Linux.
    case invalidDimensions = -14
    /// The user must be prompted, but that is not allowed or not possible.
    case notInteractive = -1004

    /// The older name of `companionNotAvailable`.
    public static let watchNotAvailable = companionNotAvailable
    /// The older name of `biometryNotAvailable`.
    public static let touchIDNotAvailable = biometryNotAvailable
    /// The older name of `biometryNotEnrolled`.
    public static let touchIDNotEnrolled = biometryNotEnrolled
    /// The older name of `biometryLockout`.
    public static let touchIDLockout = biometryLockout
  }

  /// The error as an `NSError`.
  public let _nsError: NSError

  /// Creates an error from an `NSError`.
  public init(_nsError error: NSError) { _nsError = error }

  /// The error domain, ``LAErrorDomain``.
  public static var _nsErrorDomain: String { LAErrorDomain }

  /// The code `authenticationFailed`.
  public static var authenticationFailed: Code { .authenticationFailed }
  /// The code `userCancel`.
  public static var userCancel: Code { .userCancel }
  /// The code `userFallback`.
  public static var userFallback: Code { .userFallback }
  /// The code `systemCancel`.
  public static var systemCancel: Code { .systemCancel }
  /// The code `passcodeNotSet`.
  public static var passcodeNotSet: Code { .passcodeNotSet }
  /// The code `biometryNotAvailable`.
  public static var biometryNotAvailable: Code { .biometryNotAvailable }
  /// The code `biometryNotEnrolled`.
  public static var biometryNotEnrolled: Code { .biometryNotEnrolled }
  /// The code `biometryLockout`.
  public static var biometryLockout: Code { .biometryLockout }
  /// The code `touchIDNotAvailable`.
  public static var touchIDNotAvailable: Code { .biometryNotAvailable }
  /// The code `touchIDNotEnrolled`.
  public static var touchIDNotEnrolled: Code { .biometryNotEnrolled }
  /// The code `touchIDLockout`.
  public static var touchIDLockout: Code { .biometryLockout }
  /// The code `appCancel`.
  public static var appCancel: Code { .appCancel }
  /// The code `invalidContext`.
  public static var invalidContext: Code { .invalidContext }
  /// The code `companionNotAvailable`.
  public static var companionNotAvailable: Code { .companionNotAvailable }
  /// The code `watchNotAvailable`.
  public static var watchNotAvailable: Code { .companionNotAvailable }
  /// The code `biometryNotPaired`.
  public static var biometryNotPaired: Code { .biometryNotPaired }
  /// The code `biometryDisconnected`.
  public static var biometryDisconnected: Code { .biometryDisconnected }
  /// The code `invalidDimensions`.
  public static var invalidDimensions: Code { .invalidDimensions }
  /// The code `notInteractive`.
  public static var notInteractive: Code { .notInteractive }

  package init(_ code: Code, _ description: String) {
    self.init(code, userInfo: [NSLocalizedDescriptionKey: description])
  }
}

/// Lets `as? LAError` convert an `NSError`, such as that of ``LAContext/canEvaluatePolicy(_:error:)``, as on Apple's
/// systems.
extension LAError: _ObjectiveCBridgeable {
  /// Returns the error as an `NSError`.
  public func _bridgeToObjectiveC() -> NSError { _nsError }

  /// Converts an `NSError` of any domain.
  public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout LAError?) {
    result = LAError(_nsError: source)
  }

  /// Converts an `NSError` if its domain is ``LAErrorDomain``.
  public static func _conditionallyBridgeFromObjectiveC(_ source: NSError, result: inout LAError?) -> Bool {
    guard source.domain == LAErrorDomain else { return false }
    result = LAError(_nsError: source)
    return true
  }

  /// Converts an `NSError` of any domain; nil becomes `authenticationFailed`.
  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> LAError {
    LAError(_nsError: source ?? NSError(domain: LAErrorDomain, code: Code.authenticationFailed.rawValue))
  }
}

/// A pointer to an error that a call sets when it fails. On Apple's systems Foundation declares this name.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?
