internal import Foundation

/// An error of a call: Apple's status and a description of the cause.
///
/// Thrown inside the module only; ``report(to:)`` converts it for callers. The description never contains the value of
/// an item or attribute.
struct SecurityError: Error {
  let status: OSStatus
  let detail: String

  init(_ status: OSStatus, _ detail: String) {
    self.status = status
    self.detail = detail
  }

  /// The error as a `CFError`, in the domain of `OSStatus`, with Apple's message and the detail as its description.
  var cfError: CFError {
    NSError(
      domain: NSOSStatusErrorDomain, code: Int(status),
      userInfo: [NSLocalizedDescriptionKey: "\(errorMessage(for: status)) (\(detail))"])
  }

  /// Stores the error, retained, in the caller's variable, and as the last one of the current thread.
  func report(to error: UnsafeMutablePointer<Unmanaged<CFError>?>?) {
    recordExplanation()
    unsafe error?.pointee = Unmanaged.passRetained(cfError)
  }
}
