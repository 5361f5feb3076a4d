internal import CofferFormat
internal import CofferStore
internal import CofferTrust
internal import CofferVault

/// The entries of other branches of the log, while a sync looks for more of them.
struct RivalImport {
  var fold: RivalFold
  private var kept: Set<EntryHash>
  private var byteCounts: [BranchStanding: Int] = [:]

  /// Reads what the store has of the log and its other branches.
  init(_ local: LocalVault, _ reader: borrowing some StoreAccess & ~Copyable) throws {
    let branches = try local.branches(in: reader)
    let stored = try reader.rivals()
    (fold, kept) = try translatingErrors { () throws in
      let kept = Set(branches.rivals.keys)
      let known = stored.compactMap { try? LogEntry(bytes: $0.entry) }
      let fold = RivalFold(
        chain: branches.chain,
        entries: try reader.logEntries(after: 0).filter(\.isPublished).map { try LogEntry(bytes: $0.entry) },
        rivals: known, verified: kept, discarded: try WithdrawnLog.load(from: reader).hashes)
      return (fold, kept)
    }
    for rival in stored {
      guard let entry = try? LogEntry(bytes: rival.entry), let standing = branches.rivals[entry.hash] else { continue }
      byteCounts[standing.space, default: 0] += rival.entry.count + rival.envelope.count
    }
  }

  /// Whether the store has an entry.
  func isKept(_ entry: LogEntry) -> Bool { kept.contains(entry.hash) }

  /// Decides whether an entry is to be stored: it is new, and there is space for those that count as much. Those that came
  /// first stay. So nothing that counts gives way, and what precedes an entry is there.
  mutating func keep(_ entry: LogEntry, _ rival: RivalFold.Rival, byteCount: Int) -> Bool {
    let space = rival.standing.space
    guard !isKept(entry), byteCounts[space, default: 0] + byteCount <= space.byteLimit else { return false }
    byteCounts[space, default: 0] += byteCount
    kept.insert(entry.hash)
    return true
  }
}

extension BranchStanding {
  /// What entries with one limit have in common: nobody can use up the space of a real proof, nor that of a rejected branch,
  /// on which root may have ended the fork as well.
  fileprivate var space: BranchStanding {
    if !isDisjoint(with: [.removed, .outdated]) { return .outdated }
    return contains(.rejected) ? .rejected : self
  }

  fileprivate var byteLimit: Int { self == .outdated ? Limits.voidRivalByteCount : Limits.rivalByteCount }
}
