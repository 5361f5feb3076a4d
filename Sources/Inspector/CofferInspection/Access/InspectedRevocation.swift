internal import Coffer
internal import CofferAdministration
internal import CofferFormat
package import CofferPlatform
internal import CofferTrust
internal import CofferVault

/// When and by whom something was removed from the vault.
package struct InspectedRevocation: Hashable, Sendable {
  /// The number of the log entry.
  package let entry: UInt64
  /// By the signer's clock.
  package let time: Date
  /// Who signed it: "the owner on laptop", or "the vault key".
  package let signer: String
}

extension AccessFacts {
  /// Describes a revocation of the log.
  func describe(_ revocation: Revocation) -> InspectedRevocation {
    let entry = revocation.position.sequence
    let signed = log.entries.last { $0.entry.sequence == entry }
    return InspectedRevocation(
      entry: entry, time: revocation.time.date,
      signer: signed.map { log.signer(of: $0.entry) } ?? membership.name(of: revocation.signer))
  }

  /// Returns whether a machine knows the last revocation; nil for one of which nobody waits for it.
  func confirmation(of machine: Device) -> InspectedMachine.Confirmation? {
    guard let lastRevocation, machine.id != own, machine.revocation == nil, !machine.isReadOnly else { return nil }
    return InspectedMachine.Confirmation(
      revocation: describe(lastRevocation.revocation), isGiven: !lastRevocation.unconfirmed.contains(machine.id))
  }

  /// Describes the revocation at a position of the log; nil if there is none.
  func revocation(at position: LogPosition) -> InspectedRevocation? {
    membership.revocations.first { $0.position == position }.map(describe)
  }
}
