internal import CofferSystem
public import Foundation

private let explanationKey = "dev.coffer.Security.lastErrorExplanation"

/// Returns a detailed explanation of the last failed call on the current thread: the cause and, if known, the fix.
///
/// The explanation is meant for developers and logs. It may name access groups, files and dictionary keys, but never
/// contains the values of items or attributes. A successful call does not clear it.
///
/// This function exists on Linux only. In code that also compiles for Apple's systems, put it in `#if os(Linux)`.
///
/// - Returns: The explanation; nil if no call has failed on this thread.
@discardableResult
public func SecCopyLastErrorExplanation() -> CFString? {
  (Thread.current.threadDictionary[explanationKey] as? String).map { NSString(string: $0) }
}

extension SecurityError {
  /// Stores the error as the last one of the current thread.
  func recordExplanation() {
    Thread.current.threadDictionary[explanationKey] = explanation
  }

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
