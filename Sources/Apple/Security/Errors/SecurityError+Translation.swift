internal import Coffer
internal import LocalAuthentication

extension SecurityError {
  /// Creates the error of a vault operation that failed.
  init(_ error: VaultError) { self.init(error.osStatus, error.description) }

  /// Creates the error of an authentication that failed, which a call needs because of `need`.
  init(_ error: LAError, because need: String) {
    let status =
      switch error.code {
      case .userCancel, .appCancel, .systemCancel: errSecUserCanceled
      case .notInteractive: errSecInteractionNotAllowed
      default: errSecAuthFailed
      }
    self.init(status, "\(need); \(error.localizedDescription)")
  }
}
