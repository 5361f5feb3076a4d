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
    Thread.current.threadDictionary[explanationKey] = "\(errorMessage(for: status)) (\(status): \(detail))"
  }
}
