import CofferCrypto
import CofferFormat
import CofferKeys
import CofferTrust
import Testing

/// Branches of the log of which one hands the vault over.
@Suite struct SuccessionForkTests {
  private let vault: RevocableVault
  /// Every entry before the branches.
  private let shared: [LogEntry]

  init() throws {
    vault = try RevocableVault()
    shared = vault.log.entries
  }

  private func handover(_ steps: (inout RevocableVault) throws -> Void = { _ in }) throws -> VaultBranch {
    try vault.branch { vault in
      try vault.apply(try vault.handover())
      try steps(&vault)
    }
  }

  /// The branches that a machine sees that has followed one of them.
  private func seen(by own: VaultBranch, _ others: VaultBranch...) -> LogBranches {
    LogBranches(
      chain: own.vault.membership, entries: own.vault.log.entries, competingEntries: others.flatMap(\.entries))
  }

  /// Entries that were signed with what counted before the handover.
  private func earlierBranches() throws -> [VaultBranch] {
    [
      try vault.branch { try $0.log.append($0.log.app("com.example.other")) },
      try vault.branch { try $0.apply(try $0.batch(machines: [$0.memberID]), by: $0.secondSigner) },
      try vault.branch { try $0.apply(try $0.batch(authors: [.init(author: $0.secondAdminID, groups: nil)])) },
      // A second handover, by somebody who has the old vault key.
      try handover(),
      try handover { try $0.apply(try $0.handover()) },
    ]
  }

  @Test func `Who has seen a handover follows no branch from before it, whatever it is, and sees no fork`() throws {
    let own = try handover()
    for other in try earlierBranches() {
      let branches = seen(by: own, other)
      #expect(branches.fork == nil)
      #expect(Set(branches.competingEntries.keys) == Set(other.entries.map(\.hash)))
      #expect(branches.competingEntries.values.allSatisfy { $0.contains(.outdated) })
      #expect(branches.effective.head == own.vault.membership.head)
      #expect(branches.effective.root == own.vault.membership.root)
      #expect(branches.effective.devices == own.vault.membership.devices)
      #expect(branches.effective.authors == own.vault.membership.authors)
    }
  }

  @Test func `A branch that leaves long before the handover counts as little`() throws {
    let own = try handover { try $0.apply(try $0.handover()) }
    for count in [1, shared.count / 2, shared.count - 1] {
      var earlier = try SampleMembership(of: vault.log, entries: shared.prefix(count))
      let entry = try earlier.append(earlier.app("com.example.early"))
      let branches = LogBranches(chain: own.vault.membership, entries: own.vault.log.entries, competingEntries: [entry])
      #expect(branches.fork == nil && branches.competingEntries(where: { $0.contains(.outdated) }) == [entry.hash])
    }
  }

  @Test func `Who has followed another branch and then sees a handover obeys neither, and is told to change`() throws {
    let own = try vault.branch { try $0.log.append($0.log.app("com.example.other")) }
    let branches = seen(by: own, try handover())
    #expect(branches.fork?.parent == vault.membership.head && branches.fork?.own.contains(.outdated) == true)
    #expect(branches.effective.head == vault.membership.head && branches.effective.apps.count == 2)
    #expect(branches.competingEntries(where: { $0.contains(.outdated) }).isEmpty)
  }

  @Test func `A handover of which entries are missing decides nothing`() throws {
    let own = try vault.branch { try $0.apply(try $0.handover(), through: 4) }
    let other = try vault.branch { try $0.log.append($0.log.app("com.example.other")) }
    let branches = seen(by: own, other)
    #expect(
      branches.fork?.parent == vault.membership.head
        && branches.competingEntries(where: { $0.contains(.outdated) }).isEmpty)
    #expect(branches.fork?.own.contains(.outdated) == false && branches.effective.root == vault.membership.root)
  }

  @Test func `Branches that leave after a handover fork the log as before`() throws {
    var after = vault
    try after.apply(try after.handover())
    var one = after
    try one.log.append(one.log.app("com.example.one"))
    var two = after
    try two.log.append(two.log.app("com.example.two"))
    let competingEntries = Array(two.log.entries.dropFirst(after.log.entries.count))
    let branches = LogBranches(chain: one.membership, entries: one.log.entries, competingEntries: competingEntries)
    #expect(
      branches.fork?.parent == after.membership.head
        && branches.competingEntries(where: { $0.contains(.outdated) }).isEmpty)
    #expect(branches.effective.root == after.membership.root && branches.effective.apps.count == 2)
  }

  @Test func `Who has seen a part of one handover and then sees another one is sent to neither`() throws {
    let own = try vault.branch { try $0.apply(try $0.handover(), through: 4) }
    for count in [1, 4] {
      let other = try vault.branch { try $0.apply(try $0.handover(), through: count) }
      let fork = try #require(seen(by: own, other).fork)
      #expect(fork.isHandedOverTwice && !fork.own.contains(.outdated) && !fork.isOwnVoid)
    }
    let earlier = try vault.branch { try $0.log.append($0.log.app("com.example.other")) }
    let outdated = try #require(seen(by: earlier, own).fork)
    #expect(!outdated.isHandedOverTwice && outdated.own.contains(.outdated) && outdated.isOwnVoid)
  }

  @Test func `A withdrawal of a handover by root is named to who has followed that, and moves nobody`() throws {
    let own = try handover()
    let first = own.entries[0]
    let withdrawal = Statement.withdrawal(WithdrawalStatement(entries: own.entries.map(\.hash)))
    for signer in [.root, vault.secondSigner] as [LogEntry.Signer] {
      let other = try vault.branch { vault in
        try vault.log.append(withdrawal, by: signer, key: vault.signingKey(of: signer))
        try vault.apply(try vault.handover())
      }
      let branches = seen(by: own, other)
      #expect(branches.fork == nil && branches.effective.head == own.vault.membership.head)
      #expect(branches.competingEntries(where: \.isVoid) == Set(other.entries.map(\.hash)))
      var fold = CompetingBranchFold(chain: own.vault.membership, entries: own.vault.log.entries, competingEntries: [])
      for entry in other.entries {
        let found = fold.add(entry)
        let competing = try #require(found)
        #expect(competing.withdrawnSuccession?.position == (signer == .root ? first.position : nil))
      }
      // Who has followed that branch knows that the handover was given up, if root says so.
      let reverse = seen(by: other, own)
      #expect(reverse.fork == nil && reverse.competingEntries(where: \.isVoid) == Set(own.entries.map(\.hash)))
      #expect(other.vault.membership.isWithdrawn(first.hash, by: .root) == (signer == .root))
    }
  }

  // MARK: Cost

  @Test func `An entry of another branch whose signature was verified before is recognised by its hash`() throws {
    let own = try handover()
    var other = try SampleMembership(of: vault.log, entries: shared)
    let entry = try other.append(other.app("com.example.other"))
    let unsigned = try LogEntry(bytes: entry.bytes.dropLast(64) + [UInt8](repeating: 1, count: 64))
    #expect(unsigned.hash == entry.hash)
    for verified in [[], [entry.hash]] as [Set<EntryHash>] {
      let branches = LogBranches(
        chain: own.vault.membership, entries: own.vault.log.entries, competingEntries: [unsigned], verified: verified)
      #expect(Set(branches.competingEntries.keys) == verified && branches.competingEntries(where: \.isVoid) == verified)
    }
  }

  @Test func `Entries of other branches that come one after the other count as those that come at once`() throws {
    let others = try earlierBranches() + [try vault.branch { try $0.log.append($0.log.app("com.example.third")) }]
    let competingEntries = others.flatMap(\.entries).sorted { ($0.sequence, $0.hash.raw) < ($1.sequence, $1.hash.raw) }
    for own in [try handover(), others[0]] {
      let branches = LogBranches(
        chain: own.vault.membership, entries: own.vault.log.entries, competingEntries: competingEntries)
      for known in [[], competingEntries.filter { $0.sequence.isMultiple(of: 2) }, competingEntries] {
        var fold = CompetingBranchFold(
          chain: own.vault.membership, entries: own.vault.log.entries, competingEntries: known)
        var found: [EntryHash: BranchValidity] = [:]
        for competing in competingEntries { found[competing.hash] = fold.add(competing)?.validity }
        #expect(found == branches.competingEntries)
      }
    }
  }
}
