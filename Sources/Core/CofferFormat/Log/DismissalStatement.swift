internal import CofferCrypto

/// States of items that their values need not be replaced after a revocation, and why, or takes that back. It grants and
/// removes nothing.
package struct DismissalStatement: Hashable, Sendable {
  /// The entry of the revocation.
  package let revocation: EntryHash
  /// The items in ascending order.
  package let items: [ItemAddress]
  /// Why the values stay as they are; empty if they are to be replaced after all. It can contain any character, so it must
  /// be made safe before it is shown.
  package let reason: String

  package init(of items: some Sequence<ItemAddress>, after revocation: EntryHash, reason: String) {
    self.revocation = revocation
    self.items = Set(items).sorted()
    self.reason = reason
  }

  func write(to writer: inout ByteWriter) {
    writer.fixed(revocation.raw)
    writer.list(items)
    writer.string(reason)
  }

  /// Reads the body of an entry. Nil if it is malformed: programs that do not know the statement accept any body, so no
  /// body may make the entry invalid.
  init?(body: [UInt8]) {
    var reader = ByteReader(body, object: "dismissal")
    do throws(FormatError) {
      revocation = EntryHash(try reader.bytes32("revocation"))
      items = try reader.ascendingList("items", cap: Limits.dismissedItems)
      reason = try reader.string("reason", cap: Limits.dismissalReasonByteCount)
      try reader.finish()
    } catch {
      return nil
    }
  }
}
