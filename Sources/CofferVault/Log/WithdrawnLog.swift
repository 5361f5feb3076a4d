package import CofferFormat
package import CofferStore
package import CofferTrust

/// The entries of the log that this machine offered to the remote and gave up, whole.
///
/// A host may have accepted them although it refused the push. If it then shows a revocation without the entries that
/// belong to it, only this machine can add them: without them, nobody could change membership again.
package struct WithdrawnLog: Hashable, Sendable {
  /// One entry with its sealed form.
  package struct Entry: Hashable, Coded {
    package let entry: [UInt8]
    package let envelope: [UInt8]

    fileprivate init(_ stored: StoredLogEntry) {
      entry = stored.entry
      envelope = stored.envelope
    }

    package func write(to writer: inout ByteWriter) {
      writer.data(entry)
      writer.data(envelope)
    }

    package init(from reader: inout ByteReader) throws(FormatError) {
      entry = try reader.data("entry", cap: Limits.logEntryByteCount)
      envelope = try reader.data("envelope", cap: Limits.logEnvelopeByteCount)
    }
  }

  /// The entries, oldest first.
  package private(set) var entries: [Entry] = []

  /// The maximum number of bytes that are kept. The oldest entries give way: they are of an attempt that many others
  /// followed.
  private static let byteCap = 16 << 20

  /// Reads the entries from the settings. A setting that is not readable counts as empty.
  package static func load(from access: borrowing some StoreAccess & ~Copyable) throws(StoreError) -> WithdrawnLog {
    WithdrawnLog(entries: try access.value(.withdrawnLog) ?? [])
  }

  mutating func append(_ stored: StoredLogEntry) {
    let entry = Entry(stored)
    if !entries.contains(entry) { entries.append(entry) }
  }

  package func save(to writer: borrowing StoreWriter) throws(StoreError) {
    var kept: [Entry] = []
    var byteCount = 0
    for entry in entries.reversed() {
      byteCount += entry.entry.count + entry.envelope.count + 8
      guard byteCount <= Self.byteCap else { break }
      kept.append(entry)
    }
    try writer.set(.withdrawnLog, to: [Entry](kept.reversed()))
  }

  /// Returns the entries that follow one of these entries and are valid after it, in ascending order. The log of
  /// `membership` ends with that entry; none if its last entry is not one of these.
  package func entries(after membership: Membership) -> [(sequence: UInt64, entry: Entry)] {
    let parsed = entries.compactMap { kept in (try? LogEntry(bytes: kept.entry)).map { (kept: kept, entry: $0) } }
    guard parsed.contains(where: { $0.entry.position == membership.head }) else { return [] }
    var membership = membership
    var following: [(sequence: UInt64, entry: Entry)] = []
    while let next = parsed.first(where: { $0.entry.previous == membership.head.hash }),
      (try? membership.apply(next.entry)) != nil
    {
      following.append((next.entry.sequence, next.kept))
    }
    return following
  }
}
