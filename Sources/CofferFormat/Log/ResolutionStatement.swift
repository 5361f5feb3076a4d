import CofferCrypto

/// Ends a fork of the log: the entries of the log that contains it stay, and the branches that it names count for nothing.
package struct ResolutionStatement: Hashable, Sendable {
  /// Entries of each branch that is given up, the first and the last known one at least, in ascending order of the hashes.
  package let rejected: [EntryHash]
  /// The groups' keys of these branches, in ascending order of group, generation and commitment.
  package let recovered: [RecoveredKey]

  package init(rejecting entries: some Sequence<EntryHash>, recovering keys: [RecoveredKey] = []) {
    rejected = Set(entries).sorted { $0.raw < $1.raw }
    recovered = keys.sorted()
  }

  func write(to writer: inout ByteWriter) {
    writer.list(rejected) { writer, entry in writer.fixed(entry.raw) }
    writer.list(recovered) { writer, key in writer.recoveredKey(key) }
  }

  init(from reader: inout ByteReader) throws(FormatError) {
    rejected = try reader.ascendingList("rejected entries", cap: Limits.rejectedEntries, by: \.raw) {
      (reader) throws(FormatError) in
      EntryHash(try reader.bytes32("entry"))
    }
    guard !rejected.isEmpty else { throw reader.failure(.invalidValue, "rejected entries") }
    recovered = try reader.ascendingList("recovered keys", cap: Limits.recoveredKeys, by: { $0 }) {
      (reader) throws(FormatError) in try reader.recoveredKey()
    }
  }
}
