internal import CofferPlatform
internal import CofferSystem

/// Why a source could not be read: what happened, and what to do. It contains no secret.
package struct ImportError: Error, CustomStringConvertible {
  package let message: String
  package let recoverySuggestion: String

  package init(_ message: String, recoverySuggestion: String) {
    self.message = message
    self.recoverySuggestion = recoverySuggestion
  }

  package var description: String { "\(message); \(recoverySuggestion)" }

  /// The error for a call of the operating system on a file.
  static func system(_ action: String, _ path: String, number: Int32) -> ImportError {
    ImportError(
      "cannot \(action) \(path.sanitizedForTerminal(limit: .max)): \(unsafe String(cString: strerror(number)))",
      recoverySuggestion: "check the path and its permissions, and import again")
  }

  /// The error for a file that is not in the format.
  static func malformed(_ what: String, _ detail: String) -> ImportError {
    ImportError(
      "the file is no \(what): \(detail)",
      recoverySuggestion: "export it again, and check that the first argument of coffer import names its format")
  }
}
