internal import CofferCrypto

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
