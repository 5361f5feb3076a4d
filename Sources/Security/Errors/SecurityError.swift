internal import Foundation

/// What a call of this module failed with: Apple's number, and in words what was wrong with the call.
///
/// Thrown inside of the module; ``report(to:)`` hands it to callers of Apple's interface. It never carries a value.
struct SecurityError: Error {
  let status: OSStatus
  let detail: String

  init(_ status: OSStatus, _ detail: String) {
    self.status = status
    self.detail = detail
  }

  /// The error as Apple's functions give it: in the domain of `OSStatus`, with the detail as its description.
  var cfError: CFError {
    NSError(
      domain: NSOSStatusErrorDomain, code: Int(status),
      userInfo: [NSLocalizedDescriptionKey: "\(errorMessage(for: status)) (\(detail))"])
  }

  /// Leaves the error, retained, where the caller wants it, and as the thread's last one.
  func report(to error: UnsafeMutablePointer<Unmanaged<CFError>?>?) {
    explain()
    unsafe error?.pointee = Unmanaged.passRetained(cfError)
  }
}
