internal import CofferSystem
public import Foundation

/// Returns a detailed explanation of the last call on the current thread, if it failed: the cause and, if known, the
/// fix.
///
/// The explanation is meant for developers and logs. It may name access groups, files and dictionary keys, but never
/// contains the values of items or attributes. The calls that set it are those that return an `OSStatus` of this module
/// or have an error parameter: `SecItem…`, `SecKey…` and `SecAccessControlCreateWithFlags`.
///
/// This function exists on Linux only. In code that also compiles for Apple's systems, put it in `#if os(Linux)`.
///
/// - Returns: The explanation; nil if the last call on this thread succeeded, or there was none.
@discardableResult
public func SecCopyLastErrorExplanation() -> CFString? {
  LastExplanation.current
}

extension SecurityError {
  /// Stores the explanation as that of the last call of the current thread.
  func recordExplanation() { LastExplanation.current = NSString(string: explanation) }

  /// Apple's message, the status and the detail.
  private var explanation: String { "\(errorMessage(for: status)) (\(status): \(detail))" }

  /// Writes the explanation to standard error, in one line with the name of the function, if the environment variable
  /// `COFFER_EXPLAIN` is 1.
  func explain(_ function: String) {
    guard Self.isExplaining else { return }
    let name = function.prefix { $0 != "(" }
    let line = "\(name): \(explanation)".sanitizedForTerminal(limit: .max, foldsWhiteSpace: true)
    FileHandle.standardError.write(Data("\(line)\n".utf8))
  }

  /// Programs with elevated privileges have no variables.
  private static let isExplaining = CurrentProcess.environment["COFFER_EXPLAIN"] == "1"
}
