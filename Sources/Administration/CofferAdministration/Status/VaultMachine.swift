package import CofferFormat
package import CofferPlatform
package import CofferTrust
internal import CofferVault

/// A machine that is or was in a vault, as commands and pages show it.
package struct VaultMachine: Hashable, Sendable {
  /// The identifier, in hexadecimal.
  package let id: String
  /// The owner's name for it, as it was signed: escape it for a terminal or a page.
  package let name: String
  package let isThisMachine: Bool
  /// Whether its owner may change the membership. A machine in the vault that is no admin is a member, or only reads.
  package let isAdmin: Bool
  /// The time from which on it gets no new keys; nil for a machine that may write.
  package let expires: Date?
  /// Whether it gets no new keys any more, and was not removed.
  package let isExpired: Bool
  /// By the clock of the machine that enrolled it.
  package let enrolled: Date
  /// When it was removed from the vault; nil if it is in it.
  package let revoked: Date?
  /// Its last sign of life: the time of the newest record or log entry of it that counts here, by its own clock; nil if
  /// it has written nothing that is kept here. A machine that only reads gives none.
  package let lastWrite: Date?

  package init(
    _ device: Device, in membership: Membership, isThisMachine: Bool, lastWrite: Date?, asOf now: Timestamp = .now
  ) {
    id = device.id.description
    name = device.name
    self.isThisMachine = isThisMachine
    isAdmin = device.isAdmin
    expires = device.expires?.date
    isExpired = device.revocation == nil && device.isExpired(at: now)
    enrolled = device.enrolled.date
    revoked = device.revocation.flatMap { position in
      membership.revocations.first { $0.position == position }?.time.date
    }
    self.lastWrite = lastWrite
  }
}
