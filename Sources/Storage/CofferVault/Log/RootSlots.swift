package import CofferFormat
package import CofferStore
package import CofferTrust

/// The slots of a vault's roots that a store has.
package struct RootSlots: Sendable {
  /// The slot of the present root; nil if the store does not have it, or has it damaged.
  package let current: RootSlot?
  /// The slots of earlier roots, each with the succession that took the vault from that root. Damaged ones are left out.
  package let former: [(slot: RootSlot, succession: Succession)]

  package static func read(
    from access: borrowing some StoreAccess & ~Copyable, in membership: Membership
  ) throws(StoreError) -> RootSlots {
    let genesis = membership.genesis
    var slots = [try? RootSlot.first(bytes: try access.rootSlot(), of: genesis)]
    for succession in membership.successions {
      let statement = succession.statement
      slots.append(
        try access.object(.rootSlot(statement.slot)).flatMap { RootSlot(bytes: $0, of: genesis, namedBy: statement) })
    }
    return RootSlots(
      current: slots.last ?? nil,
      former: zip(slots, membership.successions).compactMap { slot, succession in slot.map { ($0, succession) } })
  }
}

extension RootSlot {
  /// Reads the slot that a succession names; nil for any other.
  package init?(bytes: [UInt8], of genesis: Genesis, namedBy statement: SuccessionStatement) {
    guard let slot = try? RootSlot(bytes: bytes, of: genesis), slot.isNamed(by: statement) else { return nil }
    self = slot
  }

  package func isNamed(by statement: SuccessionStatement) -> Bool {
    hash == statement.slot && root == statement.root && generation == statement.generation
  }
}
