package import CofferFormat
package import CofferStore
package import CofferTrust

/// Entries of the log that this machine signed, offered to the remote and gave up.
///
/// A host may have accepted them although it refused the push, and could show them later beside the entries that
/// followed: the next change of membership therefore states that they were withdrawn. If the host shows a revocation
/// without the entries that belong to it, only this machine can add them: without them, nobody could change membership
/// again.
package struct WithdrawnLog: Hashable, Sendable {
  /// An entry whole, in both forms.
  package struct Copy: Hashable, Fielded {
    package let entry: [UInt8]
    package let envelope: [UInt8]

    fileprivate init(_ stored: StoredLogEntry) {
      entry = stored.entry
      envelope = stored.envelope
    }

    package init(_ known: Copy?, _ coder: inout FieldCoder) throws(FormatError) {
      entry = try coder.data(known?.entry, "entry", cap: Limits.logEntryByteCount)
      envelope = try coder.data(known?.envelope, "envelope", cap: Limits.logEnvelopeByteCount)
    }
  }

  /// One entry that was given up.
  private struct Withdrawal: Hashable, Fielded {
    let signer: LogEntry.Signer
    let entry: EntryHash
    /// Nil if the remote has accepted another push since: that stated the withdrawal, or had the entry.
    var copy: Copy?

    init(_ entry: LogEntry, _ copy: Copy) {
      signer = entry.signer
      self.entry = entry.hash
      self.copy = copy
    }

    package init(_ known: Withdrawal?, _ coder: inout FieldCoder) throws(FormatError) {
      signer = try coder.signer(known?.signer)
      entry = try coder.hash(known?.entry, "hash")
      copy = try coder.optional(known?.copy, "copy") { (coder, copy) throws(FormatError) in try Copy(copy, &coder) }
    }
  }

  /// The number of the last unpublished entry that this machine has offered to the remote and that is not known to be
  /// there; 0 if there is none.
  package fileprivate(set) var offered: UInt64 = 0
  /// The entries, oldest first.
  private var withdrawals: [Withdrawal] = []

  /// The maximum number of entries that are kept. A host that refuses more than that loses the oldest.
  private static let cap = 8 * Limits.withdrawnEntries
  /// The maximum number of bytes of copies. The oldest give way: they are of an attempt that many others followed.
  private static let copyByteCap = 16 << 20

  package var hashes: Set<EntryHash> { Set(withdrawals.map(\.entry)) }

  /// The entries of which a copy is kept, oldest first.
  package var copies: [Copy] { withdrawals.compactMap(\.copy) }

  /// Reads the entries from the settings. A setting that is not readable counts as empty.
  package static func load(from access: borrowing some StoreAccess & ~Copyable) throws(StoreError) -> WithdrawnLog {
    try access.value(.withdrawnLog) ?? WithdrawnLog()
  }

  private init() {}

  fileprivate mutating func append(_ stored: StoredLogEntry) {
    guard let entry = try? LogEntry(bytes: stored.entry) else { return }
    let copy = Copy(stored)
    if let index = withdrawals.firstIndex(where: { $0.signer == entry.signer && $0.entry == entry.hash }) {
      withdrawals[index].copy = copy
    } else {
      withdrawals.append(Withdrawal(entry, copy))
    }
  }

  /// These entries without the copies.
  package var withoutCopies: WithdrawnLog {
    var log = self
    for index in log.withdrawals.indices { log.withdrawals[index].copy = nil }
    return log
  }

  package func save(to writer: borrowing StoreWriter) throws(StoreError) {
    try writer.set(.withdrawnLog, to: offered > 0 || !withdrawals.isEmpty ? self : nil)
  }

  /// Returns the entries of a signer, oldest first, that the log neither contains nor names as withdrawn.
  package func unstated(
    by signer: LogEntry.Signer, in membership: Membership, _ access: borrowing some StoreAccess & ~Copyable
  ) throws -> [EntryHash] {
    let open = withdrawals.filter { $0.signer == signer && !membership.isWithdrawn($0.entry, by: signer) }.map(\.entry)
    guard !open.isEmpty else { return [] }
    // The host may have taken an entry although it refused the push.
    let chain = Set(try access.logEntries(after: 0).map { try LogEntry(bytes: $0.entry).hash })
    return open.filter { !chain.contains($0) }
  }

  /// Returns the copies of entries that follow one of these entries and are valid after it, in ascending order. The log
  /// of `membership` ends with that entry; none if its last entry is not one of these.
  package func entries(after membership: Membership) -> [(sequence: UInt64, copy: Copy)] {
    let parsed = copies.compactMap { copy in (try? LogEntry(bytes: copy.entry)).map { (copy: copy, entry: $0) } }
    guard parsed.contains(where: { $0.entry.position == membership.head }) else { return [] }
    var membership = membership
    var following: [(sequence: UInt64, copy: Copy)] = []
    while let next = parsed.first(where: { $0.entry.previous == membership.head.hash }),
      (try? membership.apply(next.entry)) != nil
    {
      following.append((next.entry.sequence, next.copy))
    }
    return following
  }
}

extension WithdrawnLog: Coded, SettingValue {
  package func write(to writer: inout ByteWriter) {
    var kept: [Withdrawal] = []
    var byteCount = 0
    for var withdrawal in withdrawals.suffix(Self.cap).reversed() {
      byteCount += withdrawal.copy.map { $0.entry.count + $0.envelope.count } ?? 0
      if byteCount > Self.copyByteCap { withdrawal.copy = nil }
      kept.append(withdrawal)
    }
    writer.u64(offered)
    writer.list(Array(kept.reversed()))
  }

  package init(from reader: inout ByteReader) throws(FormatError) {
    offered = try reader.u64("offered")
    withdrawals = try reader.list("entries", cap: Self.cap)
  }
}

extension StoreWriter {
  /// Records that the unpublished entries of the log, up to `sequence`, are about to be offered to the remote.
  package func recordOfferedLog(through sequence: UInt64) throws {
    var log = try WithdrawnLog.load(from: self)
    log.offered = sequence
    try log.save(to: self)
  }

  /// Records that the remote has accepted all unpublished entries of the log. They state what was withdrawn before
  /// them, or are what was withdrawn. If all of them are settled, they may state nothing of it: the copies stay.
  package func recordAcceptedLog() throws {
    var log = try WithdrawnLog.load(from: self)
    if try hasDrafts() { log = log.withoutCopies }
    log.offered = 0
    try log.save(to: self)
    try deleteUnnamedObjects()
  }

  /// Deletes the unpublished entries of the log, and keeps those that were offered to the remote as withdrawn. Returns
  /// their number.
  @discardableResult
  package func withdrawUnpublishedLog() throws -> Int {
    var log = try WithdrawnLog.load(from: self)
    if log.offered > 0 {
      for stored in try logEntries(after: settledLogLength()) where stored.sequence <= log.offered {
        log.append(stored)
      }
      log.offered = 0
      try log.save(to: self)
    }
    let count = try discardUnpublishedLog()
    try deleteUnnamedObjects()
    return count
  }

  /// Deletes the lists of records and the root slots that the remote does not have, and that no entry of the log names,
  /// nor one that this machine offered to the remote.
  package func deleteUnnamedObjects() throws {
    let unpublished = try (objects(.recordList) + objects(.rootSlot)).filter { $0.published == nil }.map(\.key)
    guard !unpublished.isEmpty else { return }
    let entries = try logEntries(after: 0).map(\.entry) + WithdrawnLog.load(from: self).copies.map(\.entry)
    var named: Set<StoredObject.Key> = []
    for bytes in entries {
      guard let entry = try? LogEntry(bytes: bytes), let statement = try? Statement.parse(entry) else { continue }
      switch statement {
      case .revocation(let revocation): named.formUnion(revocation.recordLists.map { .recordList($0) })
      case .succession(let succession): named.insert(.rootSlot(succession.slot))
      default: break
      }
    }
    for key in unpublished where !named.contains(key) { try delete(key) }
  }
}
