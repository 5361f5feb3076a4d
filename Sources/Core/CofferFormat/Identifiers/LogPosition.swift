/// A position in the membership log.
package struct LogPosition: Hashable, Coded {
  /// The number of the entry: 0 for the genesis, 1 for the first entry.
  package let sequence: UInt64
  package let hash: EntryHash

  package init(sequence: UInt64, hash: EntryHash) {
    self.sequence = sequence
    self.hash = hash
  }

  package func write(to writer: inout ByteWriter) {
    writer.u64(sequence)
    hash.write(to: &writer)
  }

  package init(from reader: inout ByteReader) throws(FormatError) {
    sequence = try reader.place("log position")
    hash = EntryHash(try reader.bytes32("log position"))
  }
}
