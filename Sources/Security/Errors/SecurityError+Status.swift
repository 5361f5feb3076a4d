internal import Foundation

/// Runs a call that returns a status: records its explanation if it fails, and returns its status.
func status(_ function: String = #function, _ body: () throws(SecurityError) -> Void) -> OSStatus {
  do {
    try body()
    return errSecSuccess
  } catch {
    error.recordExplanation()
    error.explain(function)
    return error.status
  }
}
