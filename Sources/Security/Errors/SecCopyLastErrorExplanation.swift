public import Foundation

private let explanationKey = "dev.coffer.Security.lastErrorExplanation"

/// Why the last Keychain call of this thread that failed did so, in full: what was wrong, where, and what mends it; nil where none
/// has failed.
///
/// Apple's systems have no such function: there, `OSStatus` is all that a program learns. The text is for developers and logs. It
/// names groups, files and keys of dictionaries, and never a value. Calls that succeed leave it as it is.
///
/// Where one source is to compile on Apple's systems too, put it into `#if os(Linux)`.
@discardableResult
public func SecCopyLastErrorExplanation() -> CFString? {
  (Thread.current.threadDictionary[explanationKey] as? String).map { NSString(string: $0) }
}

extension SecurityError {
  /// Makes this the explanation of the thread's last failure.
  func explain() {
    Thread.current.threadDictionary[explanationKey] = "\(errorMessage(for: status)) (\(status): \(detail))"
  }
}
