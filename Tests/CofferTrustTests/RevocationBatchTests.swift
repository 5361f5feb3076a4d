import CofferCrypto
import CofferFormat
import CofferKeys
import CofferTrust
import Testing

/// A revocation and the entries after it take effect together.
@Suite struct RevocationBatchTests {
  private let vault: RevocableVault
  /// Revokes the member: four groups and the transport key are renewed.
  private let batch: RevocableVault.Batch

  init() throws {
    vault = try RevocableVault()
    batch = try vault.batch(machines: [vault.memberID])
  }

  /// Returns the vault after the revocation and some of the entries after it.
  private func vault(after count: Int, of batch: RevocableVault.Batch? = nil, by signer: LogEntry.Signer? = nil) throws
    -> RevocableVault
  {
    let batch = batch ?? self.batch
    let signer = signer ?? vault.secondSigner
    var copy = vault
    let key = copy.signingKey(of: signer)
    try copy.log.append(.revocation(batch.revocation), by: signer, key: key)
    for statement in batch.following.prefix(count) { try copy.log.append(statement, by: signer, key: key) }
    return copy
  }

  private func refusal(_ statement: Statement, in vault: RevocableVault, by signer: LogEntry.Signer? = nil)
    -> TrustError.Code?
  {
    let signer = signer ?? vault.secondSigner
    return CofferTrustTests.refusal(
      of: vault.log.entry(statement, by: signer, key: vault.signingKey(of: signer)), by: vault.membership)
  }

  @Test func `Until all entries are there, the membership is that before the revocation`() throws {
    let record = try vault.record(by: vault.writers[2].id, in: vault.shared)
    #expect(batch.following.count == 5)
    for count in 0..<5 {
      let prefix = try vault(after: count).membership
      #expect(prefix.incompleteBatch?.sequence == vault.membership.head.sequence + 1)
      let complete = prefix.complete
      #expect(complete.head == vault.membership.head && complete.incompleteBatch == nil)
      #expect(complete.devices == vault.membership.devices && complete.authors == vault.membership.authors)
      #expect(complete.groups == vault.membership.groups && complete.revocations.isEmpty)
      #expect(complete.transportCommitments == vault.membership.transportCommitments)
      #expect(complete.validity(of: record) == .valid)
    }
    let whole = try vault(after: 5).membership
    #expect(whole.incompleteBatch == nil && whole.complete.head == whole.head)
    #expect(whole.complete.devices[vault.memberID]?.revocation != nil)
    #expect(whole.complete.validity(of: record) == .notEntitled)
  }

  @Test func `The entries may come in any order, with others between them`() throws {
    var changed = batch
    changed.revocation = batch.revocation.with(followingEntries: 7)
    changed.following = Array(batch.following.reversed())
    changed.following.insert(vault.log.app("com.example.between"), at: 2)
    changed.following.append(.withdrawal(WithdrawalStatement(entries: [])))
    #expect(try vault(after: 6, of: changed).membership.incompleteBatch != nil)
    let whole = try vault(after: 7, of: changed).membership
    #expect(whole.incompleteBatch == nil && whole.apps.count == 3)
  }

  @Test func `Nobody else's entry stands between a revocation and the end of its batch, not even root's`() throws {
    let statement = vault.log.app("com.example.between")
    for count in 0..<5 {
      let prefix = try vault(after: count)
      for signer in [prefix.log.adminSigner, .root] {
        #expect(refusal(batch.following[count], in: prefix, by: signer) == .contradiction)
        #expect(refusal(statement, in: prefix, by: signer) == .contradiction)
      }
    }
    #expect(refusal(statement, in: try vault(after: 5), by: .root) == nil)
  }

  @Test func `Every entry that could be the last place of a key has to be that key`() throws {
    let between = vault.log.app("com.example.between")
    for count in 0..<5 {
      #expect(refusal(between, in: try vault(after: count)) == .contradiction, "instead of key \(count)")
    }
    var longer = batch
    longer.revocation = batch.revocation.with(followingEntries: 6)
    var prefix = try vault(after: 2, of: longer)
    try prefix.log.append(between, by: prefix.secondSigner, key: prefix.secondAdmin.signing)
    #expect(refusal(vault.log.app("com.example.second"), in: prefix) == .contradiction)
  }

  @Test func `A key with another commitment or generation, one twice, and one that is not named do not belong to it`()
    throws
  {
    let first = try vault(after: 0)
    let renewal = try #require(batch.renewals.first)
    let others = GroupKeys.random(group: renewal.group).later(generation: 2)
    let wrong = try first.renewal(of: renewal.group, to: others)
    #expect(refusal(.groupKeyRenewal(wrong), in: first) == .contradiction)
    let transport = vault.transport.next()
    let wrongTransport = TransportKeyStatement(
      generation: 2, commitment: transport.commitment,
      wrappedPrevious: transport.wrap(vault.transport, in: vault.log.vault), boxes: [])
    #expect(refusal(.transportKey(wrongTransport), in: first) == .contradiction)
    // With room for more entries, still no key but the named ones.
    var longer = batch
    longer.revocation = batch.revocation.with(followingEntries: 9)
    let after = try vault(after: 5, of: longer)
    #expect(refusal(.groupKeyRenewal(renewal), in: after) == .contradiction)
    let third = try #require(batch.groupKeys[renewal.group]).later(generation: 3)
    let further = try after.renewal(of: renewal.group, to: third, wrapping: batch.groupKeys[renewal.group])
    #expect(refusal(.groupKeyRenewal(further), in: after) == .contradiction)
    #expect(refusal(vault.log.app("com.example.between"), in: after) == nil)
  }

  @Test func `The key of a new group takes no place of a renewal, and an existing group gets none`() throws {
    let renewal = try #require(batch.renewals.first)
    let name = try #require(vault.membership.groups[renewal.group]).name.description
    let statement = Statement.groupKey(GroupKeyStatement(name: name, commitment: renewal.commitment, boxes: []))
    #expect(refusal(statement, in: vault) == .contradiction)
    #expect(refusal(statement, in: try vault(after: 0)) == .contradiction)
    var longer = batch
    longer.revocation = batch.revocation.with(followingEntries: 9)
    #expect(refusal(statement, in: try vault(after: 0, of: longer)) == .contradiction)
    let new = try vault.log.groupKey(
      "com.example.new", keys: .random(group: vault.log.group("com.example.new")), to: [])
    #expect(refusal(new, in: try vault(after: 0, of: longer)) == nil)
  }

  @Test func `A batch contains no second revocation`() throws {
    let other = try vault.batch(authors: [.init(author: vault.writers[0].id, groups: nil)])
    let empty = other.revocation.with(
      authors: [
        .init(author: vault.writers[0].id, groups: [.init(group: vault.shared, keepsReading: true)])
      ], followingEntries: 0, keys: [])
    #expect(refusal(.revocation(empty), in: vault) == nil)
    var longer = batch
    longer.revocation = batch.revocation.with(followingEntries: 9)
    for count in 0...5 {
      #expect(refusal(.revocation(empty), in: try vault(after: count, of: longer)) == .contradiction)
    }
    #expect(refusal(.revocation(empty), in: try vault(after: 5)) == nil)
  }

  @Test func `An unknown critical entry in a batch counts towards it, and stops writers before it is complete`() throws
  {
    var longer = batch
    longer.revocation = batch.revocation.with(followingEntries: 6)
    var copy = try vault(after: 2, of: longer, by: vault.log.adminSigner)
    let unknown = try copy.log.unknownEntry(isCritical: true)
    try copy.log.membership.apply(unknown)
    #expect(copy.membership.complete.head == vault.membership.head)
    #expect(copy.membership.complete.firstUnknownCritical == unknown.sequence)
    for statement in batch.following.dropFirst(2) { try copy.log.append(statement) }
    #expect(copy.membership.incompleteBatch == nil)
    #expect(copy.membership.complete.firstUnknownCritical == unknown.sequence)
    // It takes the place of no key.
    let prefix = try vault(after: 4, by: vault.log.adminSigner)
    #expect(
      CofferTrustTests.refusal(of: try prefix.log.unknownEntry(isCritical: true), by: prefix.membership)
        == .contradiction)
  }

  @Test func `A later revocation follows a complete one and is incomplete by itself`() throws {
    var copy = vault
    try copy.apply(batch, by: copy.secondSigner)
    let head = copy.membership.head
    let next = try copy.batch(authors: [.init(author: copy.writers[0].id, groups: nil)])
    try copy.log.append(.revocation(next.revocation))
    #expect(copy.membership.incompleteBatch?.sequence == head.sequence + 1)
    #expect(copy.membership.complete.head == head)
    #expect(copy.membership.complete.devices[vault.memberID]?.revocation != nil)
    for statement in next.following { try copy.log.append(statement) }
    #expect(copy.membership.incompleteBatch == nil && copy.membership.revocations.count == 2)
  }

  @Test func `Lists that arrive during a batch count for earlier revocations too`() throws {
    var copy = vault
    let record = try copy.record(by: copy.writers[0].id, in: copy.shared)
    let first = try copy.batch(authors: [.init(author: copy.writers[0].id, groups: nil)], records: [record.hash])
    var withheld = first
    withheld.lists = []
    try copy.apply(withheld)
    let second = try copy.batch(authors: [.init(author: copy.writers[1].id, groups: nil)])
    try copy.log.append(.revocation(second.revocation))
    copy.log.membership.add(first.lists)
    #expect(copy.membership.complete.revocations.count == 1)
    #expect(copy.membership.complete.validity(of: record) == .valid)
  }
}
