package import CofferFormat

/// A revocation in the membership log.
package struct Revocation: Hashable, Sendable {
  package let position: LogPosition
  package let time: Timestamp
  package let signer: LogEntry.Signer
  package let statement: RevocationStatement
  /// The identifiers of the apps that it removes.
  package let apps: [ApplicationID]
}
