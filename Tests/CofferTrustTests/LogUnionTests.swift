import CofferCrypto
import CofferFormat
import CofferKeys
import CofferTestSupport
import CofferTrust
import Testing

/// The log that several branches of a repository show together, of which any can be by somebody who was removed.
@Suite struct LogUnionTests {
  private let vault: RevocableVault

  init() throws { vault = try RevocableVault() }

  private func union(_ branches: VaultBranch..., isWanted: (Membership) -> Bool = { _ in true }) -> LogUnion {
    var random = SeededGenerator(seed: SeededGenerator.runSeed)
    return LogUnion(
      following: Membership(genesis: vault.membership.genesis), ownEntries: [],
      entries: (vault.log.entries + branches.flatMap(\.entries)).shuffled(using: &random), isWanted: isWanted)
  }

  /// Root removes the second admin.
  private func removal() throws -> VaultBranch {
    try vault.branch { vault in
      try vault.apply(try vault.batch(authors: [.init(author: vault.secondAdminID, groups: nil)]))
    }
  }

  /// The second admin signs entries of its own, more than a removal has.
  private func attack() throws -> VaultBranch {
    try vault.branch { vault in
      for number in 0..<20 {
        try vault.log.append(
          vault.log.app("com.example.attack\(number)"), by: vault.secondSigner, key: vault.secondAdmin.signing)
      }
    }
  }

  @Test func `A branch that lacks the removal of an admin is a part of the log that has it`() throws {
    let removal = try removal()
    let union = union(removal)
    #expect(union.fork == nil && union.chain.head == removal.vault.membership.head)
    #expect(union.entries == removal.vault.log.entries)
  }

  @Test func `The chain on which root has removed an admin is chosen, however long the admin's own branch is`() throws {
    let (removal, attack) = (try removal(), try attack())
    #expect(attack.entries.count > removal.entries.count)
    let union = union(attack, removal)
    #expect(union.fork == nil && union.chain.head == removal.vault.membership.head)
  }

  @Test func `Branches of two admins, none of whom was removed, are a fork`() throws {
    let other = try vault.branch { try $0.log.append($0.log.app("com.example.other")) }
    let union = union(try attack(), other)
    #expect(union.fork?.parent == vault.membership.head)
  }

  @Test func `A chain on which the vault key was replaced is chosen before one that goes on under the old one`() throws
  {
    let handover = try vault.branch { try $0.apply(try $0.handover()) }
    let old = try vault.branch { vault in
      for number in 0..<30 { try vault.log.append(vault.log.app("com.example.old\(number)"), by: .root) }
    }
    let union = union(old, handover)
    #expect(union.fork == nil && union.chain.head == handover.vault.membership.head)
  }

  @Test func `Of two handovers of the vault, the one that the reader can use is chosen`() throws {
    let branches = try (0..<2).map { _ in try vault.branch { try $0.apply(try $0.handover()) } }
    for branch in branches {
      let root = branch.vault.membership.root
      let union = union(branches[0], branches[1], isWanted: { $0.root == root })
      #expect(union.fork == nil && union.chain.root == root)
    }
  }

  @Test func `If the log with the handover has forked, none is chosen that lacks the handover`() throws {
    let handover = try vault.branch { try $0.apply(try $0.handover()) }
    let ends = try ["one", "two"].map { name in
      try handover.vault.branch { vault in try vault.log.append(vault.log.app("com.example.\(name)")) }
    }
    // Somebody with the old vault key withdraws the handover.
    let old = try vault.branch { vault in
      try vault.log.append(.withdrawal(WithdrawalStatement(entries: handover.entries.map(\.hash))), by: .root)
    }
    let union = union(handover, ends[0], ends[1], old)
    #expect(union.fork != nil && union.chain.successions.count == 1)
  }

  @Test func `Of two handovers of the vault, none is chosen by a reader that could use both`() throws {
    let handover = try vault.branch { try $0.apply(try $0.handover()) }
    // Somebody with the old vault key goes on under a key of its own, as often as it likes.
    let competingEntries = try (0..<20).map { _ in
      try vault.branch { vault in
        try vault.apply(try vault.handover())
        for number in 0..<3 { try vault.log.append(vault.log.app("com.example.app\(number)"), by: .root) }
      }
    }
    let entries = handover.vault.log.entries + competingEntries.flatMap(\.entries)
    var random = SeededGenerator(seed: SeededGenerator.runSeed)
    let union = LogUnion(
      following: Membership(genesis: vault.membership.genesis), ownEntries: [],
      entries: entries.shuffled(using: &random))
    #expect(union.fork?.isHandedOverTwice == true && union.fork?.parent == vault.membership.head)
    // Who has seen the genuine one does not even look at the others.
    let later = LogUnion(
      following: handover.vault.membership, ownEntries: handover.vault.log.entries,
      entries: entries.shuffled(using: &random))
    #expect(later.fork == nil && later.chain.head == handover.vault.membership.head)
  }

  @Test func `What a reader has followed is never given up`() throws {
    let (removal, attack) = (try removal(), try attack())
    let union = LogUnion(
      following: attack.vault.membership, ownEntries: attack.vault.log.entries,
      entries: vault.log.entries + removal.entries)
    #expect(union.entries == attack.vault.log.entries)
  }

  @Test func `Entries whose predecessor is missing, and those that are not sound, do not count`() throws {
    let attack = try attack()
    let entries = vault.log.entries + attack.entries.dropFirst()
    let start = Membership(genesis: vault.membership.genesis)
    let union = LogUnion(following: start, ownEntries: [], entries: entries)
    #expect(union.chain.head == vault.membership.head)
    let last = try #require(attack.entries.last)
    let sound = LogUnion(
      following: start, ownEntries: [], entries: vault.log.entries + attack.entries,
      isSound: { entry, _ in entry != last })
    #expect(sound.chain.head.sequence == last.sequence - 1)
  }

  @Test func `Of copies of one entry with different signatures, the valid one counts`() throws {
    let entries = vault.log.entries.flatMap { entry -> [LogEntry] in
      let forged = entry.bytes.dropLast() + [entry.bytes.last.map { $0 ^ 1 } ?? 0]
      return [(try? LogEntry(bytes: Array(forged))) ?? entry, entry]
    }
    let union = LogUnion(following: Membership(genesis: vault.membership.genesis), ownEntries: [], entries: entries)
    #expect(union.entries == vault.log.entries)
  }
}
