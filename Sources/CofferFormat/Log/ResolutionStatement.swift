import CofferCrypto

/// Ends a fork of the log: the entries of the log that contains it stay, and the branches that it names count for nothing.
package struct ResolutionStatement: Hashable, Sendable {
  /// The first and the last known entry of each branch that is given up, in ascending order of the hashes.
  package let rejected: [EntryHash]

  package init(rejecting entries: some Sequence<EntryHash>) {
    rejected = Set(entries).sorted { $0.raw < $1.raw }
  }

  func write(to writer: inout ByteWriter) {
    writer.list(rejected) { writer, entry in writer.fixed(entry.raw) }
  }

  init(from reader: inout ByteReader) throws(FormatError) {
    rejected = try reader.ascendingList("rejected entries", cap: Limits.rejectedEntries, by: \.raw) {
      (reader) throws(FormatError) in
      EntryHash(try reader.bytes32("entry"))
    }
    guard !rejected.isEmpty else { throw reader.failure(.invalidValue, "rejected entries") }
  }
}
