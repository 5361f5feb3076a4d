/// Why a transfer failed. The program that has started this one shows it.
package struct TransportFailure: Error, Hashable, Sendable {
  /// The kind of an error, by the name that `GitError.Code` has for it.
  package enum Code: String, Sendable {
    case unreachable, authenticationFailed, noRepository, timedOut, rejected, permissionDenied, missingProgram
    case protocolError, io, invalidURL
  }

  package let code: Code
  /// One line that is safe for a terminal.
  package let message: String
  /// What the user can do, as an instruction; nil if there is no advice.
  package let recoverySuggestion: String?

  package init(_ code: Code, _ message: String, recoverySuggestion: String? = nil) {
    self.code = code
    self.message = message
    self.recoverySuggestion = recoverySuggestion
  }
}
