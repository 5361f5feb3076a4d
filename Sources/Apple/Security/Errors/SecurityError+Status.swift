internal import Foundation

/// Runs a call that returns a status, records whether it failed, and returns its status.
func status(_ function: String = #function, _ body: () throws(SecurityError) -> Void) -> OSStatus {
  do {
    try body()
    LastExplanation.current = nil
    return errSecSuccess
  } catch {
    error.recordExplanation()
    error.explain(function)
    return error.status
  }
}
