package import CofferFormat

/// A statement of the membership log that an item's value need not be replaced after a revocation.
package struct Dismissal: Hashable, Sendable {
  package let position: LogPosition
  package let time: Timestamp
  package let signer: LogEntry.Signer
  /// Why not, as the signer wrote it. It can contain any character.
  package let reason: String
}
