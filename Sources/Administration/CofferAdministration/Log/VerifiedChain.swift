internal import Coffer
internal import CofferFormat
internal import CofferStore
internal import CofferTrust
internal import CofferVault

/// A chain of log entries, verified one by one from the genesis on, up to the first that is not valid.
struct VerifiedChain {
  private(set) var membership: Membership
  private(set) var entries: [LogEntry] = []
  /// What is wrong with the first entry that is missing or not valid.
  private(set) var problem: VaultError?

  init(genesis: Genesis) { membership = Membership(genesis: genesis) }

  /// Verifies the entries that follow, and stops at the first that is not valid.
  mutating func append(_ stored: [StoredLogEntry]) {
    for row in stored {
      let next = membership.head.sequence + 1
      guard row.sequence == next else {
        let missing =
          row.sequence - 1 == next
          ? "entry \(next) of the membership log is"
          : "entries \(next) to \(row.sequence - 1) of the membership log are"
        problem = VaultError(.integrity, "\(missing) missing", recoverySuggestion: LogVerification.repair)
        return
      }
      do {
        let entry = try LogEntry(bytes: row.entry)
        try membership.apply(entry)
        entries.append(entry)
      } catch {
        let reason = (error as? TrustError)?.detail ?? "it is damaged: \(VaultError(translating: error).message)"
        problem = VaultError(
          .integrity, "entry \(next) of the membership log is not valid: \(reason)",
          recoverySuggestion: LogVerification.repair)
        return
      }
    }
  }

  /// Returns the hash at a place of the chain: that of the genesis at 0; nil beyond the last entry.
  func hash(at sequence: UInt64) -> EntryHash? {
    if sequence == 0 { return membership.genesis.hash }
    guard let index = Int(exactly: sequence), entries.indices.contains(index - 1) else { return nil }
    return entries[index - 1].hash
  }
}
