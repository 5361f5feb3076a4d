public import Foundation

/// The domain of this module's errors.
public let LAErrorDomain = "com.apple.LocalAuthentication"

/// Why nobody was authenticated, with Apple's codes.
public struct LAError: _BridgedStoredNSError {
  /// What was wrong.
  public enum Code: Int, _ErrorCodeProtocol, Sendable {
    /// The error whose code it is.
    public typealias _ErrorType = LAError

    /// The passphrase was wrong, each time.
    case authenticationFailed = -1
    /// The person cancelled.
    case userCancel = -2
    /// The person chose to authenticate in the app's own way.
    case userFallback = -3
    /// The system cancelled.
    case systemCancel = -4
    /// There is no passphrase that could be asked for.
    case passcodeNotSet = -5
    /// There is no sensor: always so on Linux.
    case biometryNotAvailable = -6
    /// The sensor knows nobody.
    case biometryNotEnrolled = -7
    /// The sensor is locked.
    case biometryLockout = -8
    /// The app invalidated the context while it asked.
    case appCancel = -9
    /// The context was invalidated before.
    case invalidContext = -10
    /// There is no device nearby: always so on Linux.
    case companionNotAvailable = -11
    /// The sensor is not paired.
    case biometryNotPaired = -12
    /// The sensor is not connected.
    case biometryDisconnected = -13
    /// The view has dimensions that cannot be used.
    case invalidDimensions = -14
    /// Somebody has to be asked, and that is not allowed or not possible.
    case notInteractive = -1004

    /// There is no watch nearby, by an older name.
    public static let watchNotAvailable = companionNotAvailable
    /// There is no sensor, by an older name.
    public static let touchIDNotAvailable = biometryNotAvailable
    /// The sensor knows nobody, by an older name.
    public static let touchIDNotEnrolled = biometryNotEnrolled
    /// The sensor is locked, by an older name.
    public static let touchIDLockout = biometryLockout
  }

  /// Foundation's form of the error.
  public let _nsError: NSError

  /// Takes Foundation's form.
  public init(_nsError error: NSError) { _nsError = error }

  /// The domain.
  public static var _nsErrorDomain: String { LAErrorDomain }

  /// The same as a code.
  public static var authenticationFailed: Code { .authenticationFailed }
  /// The same as a code.
  public static var userCancel: Code { .userCancel }
  /// The same as a code.
  public static var userFallback: Code { .userFallback }
  /// The same as a code.
  public static var systemCancel: Code { .systemCancel }
  /// The same as a code.
  public static var passcodeNotSet: Code { .passcodeNotSet }
  /// The same as a code.
  public static var biometryNotAvailable: Code { .biometryNotAvailable }
  /// The same as a code.
  public static var biometryNotEnrolled: Code { .biometryNotEnrolled }
  /// The same as a code.
  public static var biometryLockout: Code { .biometryLockout }
  /// The same as a code.
  public static var touchIDNotAvailable: Code { .biometryNotAvailable }
  /// The same as a code.
  public static var touchIDNotEnrolled: Code { .biometryNotEnrolled }
  /// The same as a code.
  public static var touchIDLockout: Code { .biometryLockout }
  /// The same as a code.
  public static var appCancel: Code { .appCancel }
  /// The same as a code.
  public static var invalidContext: Code { .invalidContext }
  /// The same as a code.
  public static var companionNotAvailable: Code { .companionNotAvailable }
  /// The same as a code.
  public static var watchNotAvailable: Code { .companionNotAvailable }
  /// The same as a code.
  public static var biometryNotPaired: Code { .biometryNotPaired }
  /// The same as a code.
  public static var biometryDisconnected: Code { .biometryDisconnected }
  /// The same as a code.
  public static var invalidDimensions: Code { .invalidDimensions }
  /// The same as a code.
  public static var notInteractive: Code { .notInteractive }

  package init(_ code: Code, _ description: String) {
    self.init(code, userInfo: [NSLocalizedDescriptionKey: description])
  }
}

/// Foundation's errors become this type by `as?`, as on Apple's systems: what ``LAContext/canEvaluatePolicy(_:error:)`` leaves is one
/// of them.
extension LAError: _ObjectiveCBridgeable {
  /// Foundation's form.
  public func _bridgeToObjectiveC() -> NSError { _nsError }

  /// Takes Foundation's form by force.
  public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout LAError?) {
    result = LAError(_nsError: source)
  }

  /// Takes Foundation's form where the domain is this module's.
  public static func _conditionallyBridgeFromObjectiveC(_ source: NSError, result: inout LAError?) -> Bool {
    guard source.domain == LAErrorDomain else { return false }
    result = LAError(_nsError: source)
    return true
  }

  /// Takes Foundation's form.
  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> LAError {
    LAError(_nsError: source ?? NSError(domain: LAErrorDomain, code: Code.authenticationFailed.rawValue))
  }
}
