internal import CofferCrypto
package import CofferFormat
package import CofferStore
package import CofferTrust

/// A revocation of which a member has not shown that it knows it: what the member writes may still be sealed under keys
/// that somebody has who was removed.
package struct UnacknowledgedRevocation: Hashable, Sendable {
  package let machine: DeviceID
  /// The last revocation of the log.
  package let revocation: Revocation

  /// Finds the members, in ascending order, whose last segments name a position of the log before the last revocation;
  /// none if nobody was removed. The segments were verified when they arrived. This machine is left out: it knows its
  /// log.
  package static func all(
    in access: borrowing some StoreAccess & ~Copyable, _ membership: Membership, openedBy device: DeviceFile
  ) throws(StoreError) -> [UnacknowledgedRevocation] {
    guard let revocation = membership.revocations.last else { return [] }
    let own = DeviceID(vault: membership.vault, keys: device.keys.publicKeys)
    // A machine that may only read writes under no key.
    var waiting = Set(membership.members.filter { !$0.isReadOnly }.map(\.id)).subtracting([own])
    for head in try access.streamHeads() where waiting.contains(head.device) {
      if try access.names(revocation.position, in: head, openedBy: device) { waiting.remove(head.device) }
    }
    return waiting.sorted().map { UnacknowledgedRevocation(machine: $0, revocation: revocation) }
  }
}

extension StoreAccess where Self: ~Copyable {
  /// Whether the last segment of a stream names an entry of the log or a later one.
  package func names(
    _ position: LogPosition, in head: StreamHead, openedBy device: DeviceFile
  ) throws(StoreError) -> Bool {
    guard let stored = try segment(head.position.stream, head.position.number),
      let segment = stored.segment(openedBy: device)
    else { return false }
    return segment.log.sequence >= position.sequence
  }
}
