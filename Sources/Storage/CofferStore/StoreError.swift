/// A failure of the store, with the file and the problem. It never contains data of a row.
package struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  package enum Code: String, Hashable, Sendable {
    /// The file does not exist, or an object that must precede this one is missing.
    case missing
    /// The file exists already, or the position is taken by another object.
    case alreadyExists
    /// Another process held the lock for longer than the busy timeout.
    case busy
    /// The file is not a store, or was altered in a way in which no Coffer program alters it.
    case corrupt
    /// The store has another version; nothing was changed.
    case otherVersion
    /// The file system is read-only.
    case readOnly
    /// The disk or the quota is full.
    case diskFull
    /// This process may not read or write the file or its folder.
    case permissionDenied
    /// A read or write of the system failed.
    case io
  }

  /// The kind of failure.
  package let code: Code
  /// The store's file.
  package let path: String
  /// The problem.
  package let detail: String
  /// What to do, as an instruction; nil if ``code`` alone says it.
  package let recoverySuggestion: String?

  package init(_ code: Code, path: String, detail: String, recoverySuggestion: String? = nil) {
    self.code = code
    self.path = path
    self.detail = detail
    self.recoverySuggestion = recoverySuggestion
  }

  package var description: String { "\(path): \(detail)" + (recoverySuggestion.map { "; \($0)" } ?? "") }
}
