import CofferCrypto
import CofferFormat
import CofferKeys
import CofferTrust
import Testing

/// Forks of a log that root ends.
@Suite struct ResolutionTests {
  private let vault: RevocableVault

  init() throws { vault = try RevocableVault() }

  /// Returns the branches that a machine sees that has followed `own` and is shown `other`.
  private func seen(by own: VaultBranch, _ other: VaultBranch) -> LogBranches {
    LogBranches(chain: own.vault.membership, entries: own.vault.log.entries, competingEntries: other.entries)
  }

  private func app(_ name: String, by steps: @escaping (inout RevocableVault) throws -> Void = { _ in }) throws
    -> VaultBranch
  {
    try vault.branch { vault in
      try vault.log.append(vault.log.app("com.example.\(name)"))
      try steps(&vault)
    }
  }

  /// Ends the fork that a machine sees that has followed `own`.
  private func resolve(_ own: VaultBranch, against other: VaultBranch) throws -> VaultBranch {
    let fork = try #require(seen(by: own, other).fork)
    let named = fork.rejectable.union(other.entries.map { $0.hash })
    return try append(.resolution(ResolutionStatement(rejecting: named)), to: own)
  }

  private func append(_ statement: Statement, to branch: VaultBranch) throws -> VaultBranch {
    var copy = branch.vault
    try copy.log.append(statement, by: .root)
    return VaultBranch(vault: copy, entries: Array(copy.log.entries.dropFirst(vault.log.entries.count)))
  }

  @Test func `The branch that root keeps counts whole, and the other one for nothing`() throws {
    let (own, other) = (try app("one"), try app("two"))
    let resolved = try resolve(own, against: other)
    let branches = seen(by: resolved, other)
    #expect(branches.fork == nil && branches.effective.head == resolved.vault.membership.head)
    #expect(branches.competingEntries(where: { $0.contains(.rejected) }) == Set(other.entries.map(\.hash)))
    #expect(branches.effective.apps.keys.contains { $0.description.hasSuffix("one") })
    // What is signed on that branch later counts for nothing either.
    let continued = try app("two") { try $0.log.append($0.log.app("com.example.three")) }
    #expect(Array(continued.entries.prefix(1)) == other.entries)
    #expect(seen(by: resolved, continued).fork == nil)
    #expect(
      seen(by: resolved, continued).competingEntries(where: { $0.contains(.rejected) })
        == Set(continued.entries.map(\.hash)))
    let onTop = try append(.withdrawal(WithdrawalStatement(entries: [])), to: other)
    let later = seen(by: resolved, onTop)
    #expect(
      later.fork == nil && later.competingEntries(where: { $0.contains(.rejected) }) == Set(onTop.entries.map(\.hash)))
  }

  @Test func `Who has followed the other branch sees that root has rejected it, and obeys neither`() throws {
    let (own, other) = (try app("one"), try app("two"))
    let branches = seen(by: other, try resolve(own, against: other))
    let fork = try #require(branches.fork)
    #expect(fork.own == .rejected && fork.isOwnVoid)
    #expect(branches.effective.head == vault.membership.head)
  }

  @Test func `Only root ends a fork`() throws {
    let (own, other) = (try app("one"), try app("two"))
    let statement = Statement.resolution(ResolutionStatement(rejecting: other.entries.map(\.hash)))
    var log = own.vault.log
    #expect(throws: TrustError.self) { try log.append(statement) }
    #expect(log.membership.head == own.vault.membership.head)
    #expect(statement.isCritical)
  }

  @Test func `A branch that root did not name is a fork as before`() throws {
    let (own, other, third) = (try app("one"), try app("two"), try app("three"))
    let resolved = try resolve(own, against: other)
    let branches = seen(by: resolved, third)
    #expect(branches.fork?.heads == [resolved.vault.membership.head, third.vault.membership.head])
    #expect(branches.competingEntries(where: { $0.contains(.rejected) }).isEmpty)
  }

  @Test func `What a rejected branch removed is not removed any more`() throws {
    let own = try app("one")
    let author = vault.writers[0].id
    let other = try vault.branch { vault in
      try vault.apply(try vault.batch(authors: [RevocationStatement.CutAuthor(author: author, groups: nil)]))
    }
    #expect(seen(by: own, other).effective.authors[author]?.cut != nil)
    let resolved = try resolve(own, against: other)
    #expect(seen(by: resolved, other).effective.authors[author]?.cut == nil)
  }

  @Test func `Of two statements that end a fork, the one counts that was made in view of the other`() throws {
    let (own, other) = (try app("one"), try app("two"))
    let first = try resolve(own, against: other)
    let second = try resolve(other, against: own)
    // Neither names the other: everybody stays where they are, and is told.
    for (own, other) in [(first, second), (second, first)] {
      let branches = seen(by: own, other)
      #expect(branches.fork?.own.contains(.rejected) == true && branches.effective.head == vault.membership.head)
    }
    var (winner, loser) = (try resolve(second, against: first), first)
    // Root can change its mind as often as it likes.
    for _ in 0..<3 {
      #expect(seen(by: winner, loser).fork == nil)
      #expect(seen(by: loser, winner).fork?.own.contains(.rejected) == true)
      (winner, loser) = (try resolve(loser, against: winner), winner)
    }
  }

  @Test func `An admin whom root removed on the other branch does not decide which of root's statements counts`() throws
  {
    let removal = try vault.branch { vault in
      try vault.apply(
        try vault.batch(authors: [RevocationStatement.CutAuthor(author: vault.secondAdminID, groups: nil)]))
    }
    let other = try vault.branch { vault in
      try vault.log.append(
        vault.log.app("com.example.other"), by: vault.secondSigner, key: vault.secondAdmin.signing)
    }
    #expect(seen(by: removal, other).fork == nil)
    // Root ended a fork of which it had seen the first entry only, on the branch of the removed admin.
    let resolved = try append(
      .resolution(ResolutionStatement(rejecting: removal.entries.map(\.hash))), to: other)
    #expect(seen(by: resolved, removal).fork == nil)
    #expect(seen(by: removal, resolved).fork?.own.contains(.rejected) == true)
  }

  @Test func `An old root rejects no branch that hands the vault to another one`() throws {
    let own = try app("one")
    let handover = try vault.branch { try $0.apply(try $0.handover()) }
    let resolved = try append(
      .resolution(ResolutionStatement(rejecting: handover.entries.map(\.hash))), to: own)
    let branches = seen(by: resolved, handover)
    #expect(
      branches.fork?.own.contains(.outdated) == true
        && branches.competingEntries(where: { $0.contains(.rejected) }).isEmpty)
    let follower = seen(by: handover, resolved)
    #expect(follower.fork == nil && follower.competingEntries(where: \.isVoid) == Set(resolved.entries.map(\.hash)))
  }

  @Test func `A statement that names entries of its own log, or of none, changes nothing`() throws {
    let own = try app("one")
    let named: [EntryHash] = own.entries.map { $0.hash } + [EntryHash(Hash.digest([1], domain: .logEntry))]
    let after = try append(.resolution(ResolutionStatement(rejecting: named)), to: own)
    #expect(after.vault.membership.apps.keys == own.vault.membership.apps.keys)
    #expect(LogBranches(chain: after.vault.membership).fork == nil)
  }

  @Test func `Keys of a rejected branch open for the readers of the branch that stays, and replace none of its own`()
    throws
  {
    let before = try #require(vault.groupKeys[vault.shared])
    let (kept, rejected) = (before.later(generation: 2), before.later(generation: 2))
    var own = try vault.branch { try $0.log.append(.groupKeyRenewal(try $0.renewal(of: $0.shared, to: kept))) }
    let other = try vault.branch { try $0.log.append(.groupKeyRenewal(try $0.renewal(of: $0.shared, to: rejected))) }
    func recovered(_ generation: UInt32, by wrapping: UInt32) -> Statement {
      .resolution(
        ResolutionStatement(
          rejecting: other.entries.map { $0.hash },
          recovering: [
            RecoveredKey(
              group: vault.shared, generation: generation, commitment: rejected.commitment,
              wrappingGeneration: wrapping, wrapped: kept.wrapRecovered(rejected))
          ]))
    }
    for (generation, wrapping) in [(3, 2), (2, 3)] as [(UInt32, UInt32)] {
      #expect(throws: TrustError.self) { try own.vault.log.append(recovered(generation, by: wrapping), by: .root) }
    }
    own = try append(recovered(2, by: 2), to: own)
    let group = try #require(own.vault.membership.groups[vault.shared])
    let reader = vault.writers[0]
    let opened = try group.keys(for: reader.id, opening: reader.keys.agreement)
    #expect(opened.map(\.commitment) == [before.commitment, kept.commitment])
    #expect(group.recoveredKeys(of: 2, openedBy: opened).map(\.commitment) == [rejected.commitment])
    #expect(group.recoveredKeys(of: 1, openedBy: opened).isEmpty)
    // Who has the earlier generation only opens nothing more.
    #expect(group.recoveredKeys(of: 2, openedBy: [before]).isEmpty)
  }
}
