internal import Coffer
internal import CofferAdministration
package import CofferPlatform

/// When a machine counts as silent: nobody has heard of it for long, so it may be lost, or its syncs may fail.
package enum MachineSilence {
  /// The days after which a machine counts as silent.
  package static let standardDays = 30

  /// Returns for how many days a machine has been silent; nil if it is not. Its last sign of life is by its own clock,
  /// and nil if it has given none. After `limit` days it counts as silent.
  static func days(sign: Date?, enrolled: Date, asOf now: Date, limit: Int) -> Int? {
    let seconds = now.timeIntervalSince(max(sign ?? enrolled, enrolled))
    // The clock of the other machine may be far ahead.
    guard seconds >= Double(limit) * 86_400, seconds < 1e12 else { return nil }
    return Int(seconds / 86_400)
  }
}

extension VaultStatus.Machine {
  /// Returns for how many days the machine has given no sign of life; nil for one that is not silent, for this machine, and
  /// for a headless credential, which gives none.
  package func silentDays(asOf now: Date, limit: Int = MachineSilence.standardDays) -> Int? {
    guard !isThisOne, expires == nil, revoked == nil else { return nil }
    return MachineSilence.days(sign: lastWrite, enrolled: enrolled, asOf: now, limit: limit)
  }
}

extension InspectedMachine {
  /// Returns for how many days the machine has given no sign of life, as ``VaultStatus/Machine/silentDays(asOf:limit:)``.
  package func silentDays(asOf now: Date, limit: Int = MachineSilence.standardDays) -> Int? {
    guard !isThisMachine, expires == nil, revocation == nil else { return nil }
    return MachineSilence.days(sign: lastSign?.time, enrolled: enrolled, asOf: now, limit: limit)
  }
}
