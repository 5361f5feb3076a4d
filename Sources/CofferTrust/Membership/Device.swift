package import CofferCrypto
package import CofferFormat

/// An enrolled machine in the membership log.
package struct Device: Hashable, Sendable {
  package let id: DeviceID
  package let keys: PartyPublicKeys
  /// The admin on this machine; nil if the machine may not change membership.
  package let admin: AuthorID?
  package let name: String
  /// The time of enrolment, by the clock of the machine that enrolled it.
  package let enrolled: Timestamp
}
