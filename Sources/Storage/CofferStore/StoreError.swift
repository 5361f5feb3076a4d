internal import CofferPlatform
internal import GRDBSQLite

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

extension StoreError {
  /// Returns the error for a SQLite result code. `systemError` is the errno that caused it, 0 if unknown.
  ///
  /// SQLite's message is omitted on purpose, because its wording is out of our control. The code identifies the cause.
  static func sqlite(_ code: Int32, systemError: Int32 = 0, path: String) -> StoreError {
    func error(_ kind: Code, _ detail: String) -> StoreError {
      StoreError(kind, path: path, detail: "\(detail) (SQLite \(code))")
    }
    switch code & 0xff {
    case SQLITE_FULL: return error(.diskFull, fullDiskDetail)
    case SQLITE_BUSY, SQLITE_LOCKED:
      return error(.busy, "another program kept the store locked")
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT:
      return error(.corrupt, damaged)
    case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH:
      return refused(
        W_OK, "writing the store", path, "the store or its folder cannot be written (SQLite \(code))",
        "make both writable")
    case SQLITE_CANTOPEN:
      return refused(
        R_OK | W_OK, "opening the store", path, "the store's companion files cannot be opened (SQLite \(code))",
        "make its folder writable")
    case SQLITE_IOERR where systemError == ENOSPC || systemError == EDQUOT || isDiskFull(path: path):
      return error(.diskFull, fullDiskDetail)
    case SQLITE_IOERR where systemError == EROFS:
      return error(.readOnly, "the file system is mounted read-only")
    case SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_TOOBIG, SQLITE_SCHEMA:
      return error(.corrupt, "the tables differ from those that this program creates")
    default:
      let reason = systemError == 0 ? "" : " (\(reasonText(systemError)))"
      return error(.io, "reading or writing the store failed\(reason)")
    }
  }

  /// Returns the error for a row with contents that no Coffer program writes.
  static func malformed(_ what: String, path: String) -> StoreError {
    StoreError(.corrupt, path: path, detail: "\(what) is malformed")
  }

  /// Returns the error for the errno of a system call on the store's file.
  static func system(_ number: Int32, _ action: String, path: String) -> StoreError {
    let code: Code =
      switch number {
      case ENOENT, ENOTDIR: .missing
      case EEXIST: .alreadyExists
      case EACCES, EPERM: .permissionDenied
      case EROFS: .readOnly
      case ENOSPC, EDQUOT: .diskFull
      default: .io
      }
    return StoreError(
      code, path: path, detail: "\(action) failed: \(reasonText(number))",
      recoverySuggestion: code == .alreadyExists ? existingSuggestion : nil)
  }

  static let existingSuggestion = "use it, or choose another folder with COFFER_HOME or COFFER_VAULT"
  static let memorySuggestion = "end other programs or add memory, then try again"
  static let damaged = "the file is damaged or not a store"
  private static let fullDiskDetail = "no space is left on the disk"

  static func fullDisk(path: String) -> StoreError { StoreError(.diskFull, path: path, detail: fullDiskDetail) }

  /// Returns true if the disk is full. SQLite reports no errno if the shared memory beside the log cannot grow.
  private static func isDiskFull(path: String) -> Bool {
    var information = statvfs()
    return unsafe statvfs(folder(of: path), &information) == 0 && information.f_bavail == 0
  }

  /// Returns the folder that contains a file.
  static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
  }

  /// Returns why a file cannot be used: the system's reason, or what is wrong beside it.
  private static func refused(
    _ mode: Int32, _ action: String, _ path: String, _ detail: String, _ suggestion: String
  ) -> StoreError {
    unsafe access(path, mode) != 0
      ? system(errno, action, path: path)
      : StoreError(.permissionDenied, path: path, detail: detail, recoverySuggestion: suggestion)
  }
}

/// Returns the system's description of an errno.
private func reasonText(_ number: Int32) -> String { unsafe String(cString: strerror(number)) }
