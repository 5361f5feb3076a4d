import CofferCrypto

/// Ends a fork of the log: the entries of the log that contains it stay, and the branches that it names count for nothing.
package struct ResolutionStatement: Hashable, Sendable {
  /// Entries of each branch that is given up, the first and the last known one at least, in ascending order of the hashes.
  package let rejected: [EntryHash]
  /// The groups' keys of these branches, in ascending order of group, generation and commitment.
  package let recovered: [RecoveredKey]

  package init(rejecting entries: some Sequence<EntryHash>, recovering keys: [RecoveredKey] = []) {
    rejected = Set(entries).sorted()
    recovered = keys.sorted()
  }

  func write(to writer: inout ByteWriter) {
    writer.list(rejected)
    writer.list(recovered)
  }

  init(from reader: inout ByteReader) throws(FormatError) {
    rejected = try reader.ascendingList("rejected entries", cap: Limits.rejectedEntries)
    guard !rejected.isEmpty else { throw reader.failure(.invalidValue, "rejected entries") }
    recovered = try reader.ascendingList("recovered keys", cap: Limits.recoveredKeys)
  }
}
