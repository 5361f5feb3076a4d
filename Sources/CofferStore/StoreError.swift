/// Why the store did not do what it was asked. It carries the file, what happened and the mend; never a row's contents.
package struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of failure.
  package enum Code: String, Hashable, Sendable {
    /// There is no store at the path, or an object that must come first is not there.
    case missing
    /// There is a store at the path already, or another object stands in the place.
    case alreadyExists
    /// Another process kept the store locked for longer than the busy timeout.
    case busy
    /// The file is no store, or was altered in a way that no Coffer program alters it.
    case corrupt
    /// A newer program wrote the store; nothing was touched.
    case versionTooNew
    /// The file system is read-only.
    case readOnly
    /// The disk, or the quota, is full.
    case diskFull
    /// The file or its folder may not be read or written by this process.
    case permissionDenied
    /// The system failed to read or write.
    case io
  }

  /// The kind of failure.
  package let code: Code
  /// The store's file.
  package let path: String
  /// What happened and what mends it, in words.
  package let detail: String

  package init(_ code: Code, path: String, detail: String) {
    self.code = code
    self.path = path
    self.detail = detail
  }

  package var description: String { "\(path): \(detail)" }
}
