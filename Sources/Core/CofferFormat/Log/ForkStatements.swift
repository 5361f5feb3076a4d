package import CofferCrypto

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

/// A group's key of a branch of the log that root rejects, sealed under a key of the branch that stays: so what was written
/// under it can still be read.
package struct RecoveredKey: Hashable, Comparable, Coded {
  package let group: GroupID
  /// The number of the key's generation on its own branch. The log has another key of this number.
  package let generation: UInt32
  /// The commitment to the key, as on its own branch.
  package let commitment: Bytes32
  /// The generation of the log under which the key is sealed.
  package let wrappingGeneration: UInt32
  package let wrapped: [UInt8]

  package init(
    group: GroupID, generation: UInt32, commitment: Bytes32, wrappingGeneration: UInt32, wrapped: [UInt8]
  ) {
    self.group = group
    self.generation = generation
    self.commitment = commitment
    self.wrappingGeneration = wrappingGeneration
    self.wrapped = wrapped
  }

  package static func < (left: RecoveredKey, right: RecoveredKey) -> Bool {
    (left.group, left.generation, left.commitment) < (right.group, right.generation, right.commitment)
  }

  package func write(to writer: inout ByteWriter) {
    writer.fixed(group.raw)
    writer.u32(generation)
    writer.fixed(commitment)
    writer.u32(wrappingGeneration)
    writer.fixed(wrapped)
  }

  package init(from reader: inout ByteReader) throws(FormatError) {
    group = GroupID(try reader.bytes16("group"))
    generation = try reader.u32("generation")
    commitment = try reader.bytes32("commitment")
    wrappingGeneration = try reader.u32("wrapping generation")
    guard generation > 0, wrappingGeneration > 0 else { throw reader.failure(.invalidValue, "generation") }
    wrapped = try reader.fixed(64 + SymmetricKey.overheadByteCount, "wrapped")
  }
}

/// Names entries that their signer has withdrawn: it offered them to the remote, which refused them or had another entry
/// by then. A host that kept them could show them later as the proof of a fork.
package struct WithdrawalStatement: Hashable, Sendable {
  package let entries: [EntryHash]

  package init(entries: [EntryHash]) { self.entries = entries }

  func write(to writer: inout ByteWriter) { for entry in entries { writer.fixed(entry.raw) } }

  /// Reads the body of an entry. Nil if it is not a sequence of hashes: programs that do not know the statement accept
  /// any body, so no body may make the entry invalid.
  init?(body: [UInt8]) {
    guard body.count.isMultiple(of: Bytes32.count) else { return nil }
    entries = stride(from: 0, to: body.count, by: Bytes32.count).map { EntryHash(Bytes32(in: body, at: $0)) }
  }
}
