package import CofferFormat
internal import CofferStore
internal import CofferTrust
package import CofferVault

/// Versions that do not count, for their owner to look at, and to adopt or discard.
extension Vault {
  /// Returns the refused records of this vault without values, those that were written last first.
  package func refusedRecords() throws(VaultError) -> [RefusedRecord] {
    let device = try local.deviceFile()
    return try reading { reader, context in
      let refused = try Self.refusedVersions(reader, context, device)
      var found: [RefusedRecord] = []
      try reader.forEachRefusedRecord(in: context.membership, openedBy: device) { record in
        found.append(try context.describe(record, among: refused, reader))
      }
      return found.sorted { ($0.written, $0.identifier) > ($1.written, $1.identifier) }
    }
  }

  /// Writes refused records again as the vault's own author, all or none, in the order in which they were written. With
  /// `overNewer`, replaces versions that the records' authors had not seen; otherwise these throw `itemChanged`. Throws
  /// `invalidArgument` for a record that was adopted before. If it throws, nothing has changed.
  package func adopt(_ hashes: Set<RecordHash>, overNewer: Bool = false) throws(VaultError) {
    let device = try local.deviceFile()
    try writing { writer, context in
      let refused = try Self.refusedVersions(writer, context, device)
      var records: [Record] = []
      try writer.forEachRefusedRecord(in: context.membership, openedBy: device) { record in
        if hashes.contains(record.hash) { records.append(record) }
      }
      guard records.count == hashes.count else {
        throw VaultError(
          .itemNotFound, "a refused version is not there any more", recoverySuggestion: "list them with: coffer refused"
        )
      }
      for record in records.sorted(by: { $1.wins(over: $0) }) {
        try context.adopt(record, among: refused, overNewer: overNewer, writer)
      }
    }
  }

  /// Takes refused records off the list, all or none. The contents of those that no entry of the log will ever permit
  /// are deleted, unless a segment that counts has them; the others count once the log permits them. Throws
  /// `invalidArgument` if more are discarded than this machine remembers. If it throws, nothing has changed.
  package func discard(_ hashes: Set<RecordHash>) throws(VaultError) {
    let device = try local.deviceFile()
    try writing { writer, context in
      var copies: [(hash: RecordHash, copy: RecordHash, isFinal: Bool)] = []
      let isUndisputed = try local.branches(in: writer).fork == nil
      try writer.forEachRefusedCopy(in: context.membership, openedBy: device) { record in
        guard hashes.contains(record.hash) else { return }
        let author = context.membership.authors[record.header.author]
        let isFinal = isUndisputed && (author.map { $0.cut(in: record.header.group) != nil } ?? true)
        copies.append((record.hash, record.copyHash, isFinal))
      }
      guard Set(copies.map(\.hash)) == hashes else {
        throw VaultError(
          .itemNotFound, "a refused version is not there any more", recoverySuggestion: "list them with: coffer refused"
        )
      }
      var discarded = try DiscardedRecords.load(from: writer)
      for (_, copy, isFinal) in copies where try !isFinal || !writer.discardContents(copy) { discarded.insert(copy) }
      guard try discarded.save(to: writer) else {
        throw VaultError(
          .invalidArgument, "this machine remembers at most \(DiscardedRecords.cap) discarded versions",
          recoverySuggestion: "leave the others on the list: they harm nothing; nothing was changed")
      }
    }
  }

  private static func refusedVersions(
    _ reader: borrowing some StoreAccess & ~Copyable, _ context: AccessContext, _ device: DeviceFile
  ) throws -> RefusedVersions {
    var bases: [RecordHash: [RecordHash]] = [:]
    try reader.forEachRefusedRecord(in: context.membership, openedBy: device) { bases[$0.hash] = $0.header.bases }
    return RefusedVersions(bases)
  }
}
