internal import Foundation

/// An error of a call: Apple's status and a description of the cause.
///
/// Thrown inside the module only; ``reporting(to:_:)`` converts it for callers. The description never contains the value of
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
}

/// Runs a call that has an error parameter, and records whether it failed for ``SecCopyLastErrorExplanation()``. If it
/// fails, returns nil, and stores the error in the caller's variable, retained.
func reporting<Result>(
  to error: UnsafeMutablePointer<Unmanaged<CFError>?>?, _ body: () throws(SecurityError) -> Result
) -> Result? {
  do throws(SecurityError) {
    let result = try body()
    LastExplanation.current = nil
    return result
  } catch let failure {
    failure.recordExplanation()
    unsafe error?.pointee = Unmanaged.passRetained(failure.cfError)
    return nil
  }
}
