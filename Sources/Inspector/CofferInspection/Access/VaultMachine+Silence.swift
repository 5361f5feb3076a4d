internal import Coffer
internal import CofferAdministration
package import CofferPlatform

extension VaultMachine {
  /// The days without a sign of life after which a machine counts as silent: it may be lost, or its syncs may fail.
  package static let standardSilentDays = 30

  /// Returns for how many days the machine has given no sign of life; nil for one that is not silent, for this machine, and
  /// for a headless credential, which gives none. The last sign is by the machine's own clock.
  package func silentDays(asOf now: Date, limit: Int = VaultMachine.standardSilentDays) -> Int? {
    guard !isThisMachine, expires == nil, revoked == nil else { return nil }
    let seconds = now.timeIntervalSince(max(lastWrite ?? enrolled, enrolled))
    // The clock of the other machine may be far ahead.
    guard seconds >= Double(limit) * 86_400, seconds < 1e12 else { return nil }
    return Int(seconds / 86_400)
  }
}
