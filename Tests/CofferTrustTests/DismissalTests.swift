import CofferCrypto
import CofferFormat
import CofferTrust
import Testing

/// Items that an admin takes off the list of what to replace.
@Suite struct DismissalTests {
  private var vault: RevocableVault
  private let revocation: EntryHash

  init() throws {
    vault = try RevocableVault()
    revocation = try vault.apply(vault.batch(machines: [vault.memberID])).hash
  }

  private func item(_ number: UInt8) -> ItemAddress {
    ItemAddress(group: vault.shared, item: ItemID(Bytes16(truncating: Hash.digest([number], domain: .item))))
  }

  private func statement(_ items: UInt8..., reason: String = "closed", after entry: EntryHash? = nil) -> Statement {
    .dismissal(DismissalStatement(of: items.map(item), after: entry ?? revocation, reason: reason))
  }

  private func reason(_ number: UInt8) -> String? {
    vault.membership.dismissal(of: item(number), after: revocation)?.reason
  }

  @Test
  mutating func `An admin and root dismiss items after a revocation, and the last statement about an item applies`()
    throws
  {
    let entry = try vault.log.append(statement(1, 2))
    #expect(reason(1) == "closed" && reason(2) == "closed" && reason(3) == nil)
    let dismissal = try #require(vault.membership.dismissal(of: item(1), after: revocation))
    #expect(dismissal.position == entry.position && dismissal.signer == vault.log.adminSigner)
    #expect(dismissal.time == entry.time)
    try vault.log.append(statement(2, reason: "unused"), by: .root)
    try vault.log.append(statement(1, reason: ""), by: vault.secondSigner, key: vault.secondAdmin.signing)
    #expect(reason(1) == nil && reason(2) == "unused")
    // An item of another group, and one after another revocation.
    let other = ItemAddress(group: vault.drafts, item: item(2).item)
    #expect(vault.membership.dismissal(of: other, after: revocation) == nil)
    #expect(vault.membership.dismissal(of: item(2), after: entry.hash) == nil)
  }

  @Test mutating func `Nobody else dismisses an item, and neither does an admin who was removed`() throws {
    let writer = vault.writers[0]
    let byApp = vault.log.entry(statement(1), by: .admin(writer.id), key: writer.keys.signing)
    #expect(refusal(of: byApp, by: vault.membership) == .notAuthorised)
    let forged = vault.log.entry(statement(1), by: vault.log.adminSigner, key: writer.keys.signing)
    #expect(refusal(of: forged, by: vault.membership) == .notAuthorised)
    try vault.apply(vault.batch(machines: [vault.secondID]))
    let late = vault.log.entry(statement(1), by: vault.secondSigner, key: vault.secondAdmin.signing)
    #expect(refusal(of: late, by: vault.membership) == .notAuthorised)
    #expect(reason(1) == nil)
  }

  @Test mutating func `A dismissal that is malformed or names no revocation is an entry without effect`() throws {
    let before = vault.membership
    let good = vault.log.entry(statement(1, 2))
    var bodies = [Array(good.body.dropLast()), good.body + [0], []]
    // 32 bytes of the revocation and 4 of the count are followed by two items of 32 bytes each.
    let items = [Array(good.body[36..<68]), Array(good.body[68..<100])]
    for pair in [[items[1], items[0]], [items[0], items[0]]] {
      bodies.append(Array(good.body[..<36]) + pair[0] + pair[1] + Array(good.body[100...]))
    }
    bodies.append(vault.log.entry(statement(1, reason: String(repeating: "x", count: 257))).body)
    for body in bodies {
      let entry = try vault.log.signedEntry(kind: 15, isCritical: false, body: body)
      try vault.log.membership.apply(entry)
      #expect(reason(1) == nil && reason(2) == nil)
    }
    try vault.log.append(statement(1, after: EntryHash(.zero)))
    #expect(reason(1) == nil)
    #expect(vault.membership.head.sequence == before.head.sequence + UInt64(bodies.count) + 1)
    #expect(vault.membership.firstUnknownCritical == nil)
    try vault.log.append(statement(1, reason: String(repeating: "x", count: 256)))
    #expect(reason(1)?.utf8.count == 256)
  }

  @Test mutating func `What a branch of a fork dismisses has to be replaced until root selects the branch`() throws {
    let shared = vault.log.entries
    var other = vault.log
    try vault.log.append(statement(1))
    let competing = try other.append(.dismissal(DismissalStatement(of: [item(2)], after: revocation, reason: "other")))
    let branches = LogBranches(chain: vault.membership, entries: vault.log.entries, competingEntries: [competing])
    #expect(branches.fork?.parent == shared.last?.position)
    for number: UInt8 in [1, 2] {
      #expect(branches.effective.dismissal(of: item(number), after: revocation) == nil)
    }
    #expect(branches.chain.dismissal(of: item(1), after: revocation) != nil)
  }
}
