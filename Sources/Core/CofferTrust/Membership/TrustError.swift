/// The reason why an entry of the membership log is invalid. It contains positions and kinds, never contents.
package struct TrustError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of error.
  package enum Code: String, Hashable, Sendable {
    /// The entry does not follow the previous one.
    case brokenChain
    /// The entry is not signed by its stated signer, or the signer may not make this statement.
    case notAuthorised
    /// The entry contradicts an earlier one.
    case contradiction
    /// The entry is malformed or belongs to another vault.
    case malformed
  }

  package let code: Code
  /// The position of the entry in the log.
  package let sequence: UInt64
  /// A description of the problem.
  package let detail: String

  package init(_ code: Code, at sequence: UInt64, _ detail: String) {
    self.code = code
    self.sequence = sequence
    self.detail = detail
  }

  package var description: String { "membership log, entry \(sequence): \(detail)" }
}
