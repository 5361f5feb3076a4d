package import CofferCrypto

/// Ends a fork of the log: the entries of the log that contains it stay, and the branches that it names count for
/// nothing.
package struct ResolutionStatement: Hashable, Fielded {
  /// Entries of each branch that is given up, the first and the last known one at least, in ascending order of the
  /// hashes.
  package let rejected: [EntryHash]
  /// The groups' keys of these branches, in ascending order of group, generation and commitment.
  package let recovered: [RecoveredKey]

  package init(rejecting entries: some Sequence<EntryHash>, recovering keys: [RecoveredKey] = []) {
    rejected = Set(entries).sorted()
    recovered = keys.sorted()
  }

  package init(_ known: ResolutionStatement?, _ coder: inout FieldCoder) throws(FormatError) {
    rejected = try coder.ascendingList(known?.rejected, "rejected entries", cap: Limits.rejectedEntries, by: { $0 })
    try coder.require(!rejected.isEmpty, "rejected entries")
    recovered = try coder.ascendingList(known?.recovered, "recovered keys", cap: Limits.recoveredKeys, by: { $0 })
  }
}

/// A group's key of a branch of the log that root rejects, sealed under a key of the branch that stays: so what was
/// written under it can still be read.
package struct RecoveredKey: Hashable, Comparable, Fielded {
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

  package init(_ known: RecoveredKey?, _ coder: inout FieldCoder) throws(FormatError) {
    group = try coder.id(known?.group, "group")
    generation = try coder.u32(known?.generation, "generation")
    commitment = try coder.bytes32(known?.commitment, "commitment")
    wrappingGeneration = try coder.u32(known?.wrappingGeneration, "wrapping generation")
    try coder.require(generation > 0 && wrappingGeneration > 0, "generation")
    wrapped = try coder.fixed(known?.wrapped, count: 64 + SymmetricKey.overheadByteCount, "wrapped")
  }
}

/// Names entries that their signer has withdrawn: it offered them to the remote, which refused them or had another
/// entry by then. A host that kept them could show them later as the proof of a fork.
package struct WithdrawalStatement: Hashable, Fielded {
  package let entries: [EntryHash]

  package init(entries: [EntryHash]) { self.entries = entries }

  /// The hashes have no count before them.
  package init(_ known: WithdrawalStatement?, _ coder: inout FieldCoder) throws(FormatError) {
    var entries: [EntryHash] = []
    for entry in known?.entries ?? [] { entries.append(try coder.hash(entry, "entry")) }
    while coder.reader.remaining > 0 { entries.append(try coder.hash(nil, "entry")) }
    self.entries = entries
  }
}
