/// Why the membership log is not believed. Names positions and kinds, never contents.
package struct TrustError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong.
  package enum Code: String, Hashable, Sendable {
    /// An entry does not follow the one before it.
    case brokenChain
    /// An entry is not signed by whom it names, or by nobody who may say such a thing.
    case notAuthorised
    /// An entry contradicts what the log already says.
    case contradiction
    /// An entry is malformed or belongs to another vault.
    case malformed
  }

  package let code: Code
  /// The entry's place in the log.
  package let sequence: UInt64
  /// What is wrong with it, in words.
  package let detail: String

  package init(_ code: Code, at sequence: UInt64, _ detail: String) {
    self.code = code
    self.sequence = sequence
    self.detail = detail
  }

  package var description: String { "membership log, entry \(sequence): \(detail)" }
}
