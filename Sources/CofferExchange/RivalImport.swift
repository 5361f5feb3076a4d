internal import CofferFormat
internal import CofferStore
internal import CofferTrust
internal import CofferVault

/// The entries of other branches of the log, while a sync looks for more of them.
struct RivalImport {
  /// Those that have a limit of their own: nobody can use up the space of a real proof.
  private enum Standing {
    /// The entry proves a fork.
    case counting
    /// Its signer withdrew it, so it counts for nothing now. What follows it may count.
    case withdrawn
    /// It does not count and never will, but root may have ended the fork on its branch as well, which counts. That and its
    /// keys must not be lost.
    case rejected
    /// Neither it nor what follows it ever counts.
    case void

    var byteLimit: Int { self == .void ? Limits.voidRivalByteCount : Limits.rivalByteCount }
  }

  var fold: RivalFold
  private var kept: Set<EntryHash>
  private var byteCounts: [Standing: Int] = [:]

  /// Reads what the store has of the log and its other branches.
  init(_ local: LocalVault, _ reader: borrowing some StoreAccess & ~Copyable) throws {
    let branches = try local.branches(in: reader)
    let stored = try reader.rivals()
    (fold, kept) = try translatingErrors { () throws in
      let known = stored.compactMap { try? LogEntry(bytes: $0.entry) }
      let fold = RivalFold(
        chain: branches.chain,
        entries: try reader.logEntries(after: 0).filter(\.isPublished).map { try LogEntry(bytes: $0.entry) },
        rivals: known, verified: branches.validRivals, discarded: try LogWithdrawals.load(from: reader).entries)
      return (fold, branches.validRivals)
    }
    for rival in stored {
      guard let hash = (try? LogEntry(bytes: rival.entry))?.hash else { continue }
      let standing: Standing =
        branches.rejectedRivals.contains(hash)
        ? .rejected
        : branches.voidRivals.contains(hash)
          ? .void : branches.withdrawnRivals.contains(hash) ? .withdrawn : .counting
      byteCounts[standing, default: 0] += rival.entry.count + rival.envelope.count
    }
  }

  /// Whether the store has an entry.
  func isKept(_ entry: LogEntry) -> Bool { kept.contains(entry.hash) }

  /// Decides whether an entry is to be stored: it is new, and there is space for those that count as much. Those that came
  /// first stay. So nothing that counts gives way, and what precedes an entry is there.
  mutating func keep(_ entry: LogEntry, _ rival: RivalFold.Rival, byteCount: Int) -> Bool {
    let standing: Standing =
      rival.isRejected && !rival.isRemoved && !rival.isOutdated
      ? .rejected : rival.isVoid ? .void : rival.isWithdrawn ? .withdrawn : .counting
    guard !isKept(entry), byteCounts[standing, default: 0] + byteCount <= standing.byteLimit else { return false }
    byteCounts[standing, default: 0] += byteCount
    kept.insert(entry.hash)
    return true
  }
}
