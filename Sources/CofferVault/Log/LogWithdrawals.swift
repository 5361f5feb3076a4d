internal import CofferCrypto
package import CofferFormat
package import CofferStore
package import CofferTrust

/// Entries of the log that this machine signed, offered to the remote and gave up. The host may have kept them, and could
/// show them later beside the entries that followed: the next change of membership therefore states that they were
/// withdrawn.
package struct LogWithdrawals: Hashable, Sendable {
  /// One entry that was given up.
  package struct Withdrawal: Hashable, Coded {
    package let signer: LogEntry.Signer
    package let entry: EntryHash

    fileprivate init(_ entry: LogEntry) {
      signer = entry.signer
      self.entry = entry.hash
    }

    package func write(to writer: inout ByteWriter) {
      switch signer {
      case .root: AuthorID.root.write(to: &writer)
      case .admin(let author): author.write(to: &writer)
      }
      entry.write(to: &writer)
    }

    package init(from reader: inout ByteReader) throws(FormatError) {
      let author = try AuthorID(from: &reader)
      signer = author == .root ? .root : .admin(author)
      entry = try EntryHash(from: &reader)
    }
  }

  /// The entries, oldest first.
  package private(set) var all: [Withdrawal] = []

  /// The maximum number of entries that are kept. A host that refuses more than that loses the oldest.
  private static let cap = 8 * Limits.withdrawnEntries

  package var entries: Set<EntryHash> { Set(all.map(\.entry)) }

  /// Reads the entries from the settings. A setting that is not readable counts as empty.
  package static func load(from access: borrowing some StoreAccess & ~Copyable) throws -> LogWithdrawals {
    LogWithdrawals(all: try access.value(.logWithdrawals) ?? [])
  }

  /// Returns the entries of a signer, oldest first, that the log neither contains nor names as withdrawn.
  package func unstated(
    by signer: LogEntry.Signer, in membership: Membership, _ access: borrowing some StoreAccess & ~Copyable
  ) throws -> [EntryHash] {
    let open = all.filter { $0.signer == signer && !membership.isWithdrawn($0.entry, by: signer) }.map(\.entry)
    guard !open.isEmpty else { return [] }
    // The host may have taken an entry although it refused the push.
    let chain = Set(try access.logEntries(after: 0).map { try LogEntry(bytes: $0.entry).hash })
    return open.filter { !chain.contains($0) }
  }

  fileprivate mutating func append(_ entry: LogEntry) {
    let withdrawal = Withdrawal(entry)
    if !all.contains(withdrawal) { all.append(withdrawal) }
  }

  fileprivate func save(to writer: borrowing StoreWriter) throws {
    try writer.set(.logWithdrawals, to: [Withdrawal](all.suffix(Self.cap)))
  }
}

extension StoreWriter {
  /// Records that the unpublished entries of the log, up to `sequence`, are about to be offered to the remote.
  package func recordOfferedLog(through sequence: UInt64) throws {
    try set(.offeredLog, to: sequence)
  }

  /// Deletes the unpublished entries of the log, and keeps the names of those that were offered to the remote. Returns
  /// their number.
  @discardableResult
  package func withdrawUnpublishedLog() throws -> Int {
    if try setting(.offeredLog) != nil {
      let offered: UInt64 = try value(.offeredLog) ?? 0
      var withdrawals = try LogWithdrawals.load(from: self)
      var kept = try WithdrawnLog.load(from: self)
      for stored in try unpublishedLogEntries() where stored.sequence <= offered {
        guard let entry = try? LogEntry(bytes: stored.entry) else { continue }
        withdrawals.append(entry)
        kept.append(stored)
      }
      try withdrawals.save(to: self)
      try kept.save(to: self)
      try setSetting(.offeredLog, nil)
    }
    let count = try discardUnpublishedLog()
    try deleteUnnamedObjects()
    return count
  }

  /// Deletes the lists of records and the root slots that the remote does not have, and that no entry of the log names, nor
  /// one that this machine offered to the remote.
  package func deleteUnnamedObjects() throws {
    let lists = try recordLists().filter { $0.published == nil }.map(\.hash)
    let slots = try laterRootSlots().filter { $0.published == nil }.map(\.hash)
    guard !lists.isEmpty || !slots.isEmpty else { return }
    let entries = try logEntries(after: 0).map(\.entry) + WithdrawnLog.load(from: self).entries.map(\.entry)
    var named: Set<Bytes32> = []
    for bytes in entries {
      guard let entry = try? LogEntry(bytes: bytes), let statement = try? Statement.parse(entry) else { continue }
      switch statement {
      case .revocation(let revocation): named.formUnion(revocation.recordLists)
      case .succession(let succession): named.insert(succession.slot)
      default: break
      }
    }
    for hash in lists where !named.contains(hash) { try deleteRecordList(hash) }
    for hash in slots where !named.contains(hash) { try deleteRootSlot(hash) }
  }
}
