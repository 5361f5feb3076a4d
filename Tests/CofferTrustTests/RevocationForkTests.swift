import CofferCrypto
import CofferFormat
import CofferKeys
import CofferTrust
import Testing

/// Branches of the log of which one removes somebody: what either removes holds, and who was removed forks itself in no
/// more.
@Suite struct RevocationForkTests {
  private typealias Cut = RevocationStatement.CutAuthor

  private let vault: RevocableVault
  /// Every entry before the branches.
  private let shared: [LogEntry]

  init() throws {
    vault = try RevocableVault()
    shared = vault.log.entries
  }

  /// The branches that a machine sees that has followed one of them.
  private func seen(by own: VaultBranch, _ others: VaultBranch...) -> LogBranches {
    LogBranches(
      chain: own.vault.membership, entries: own.vault.log.entries, competingEntries: others.flatMap(\.entries))
  }

  /// Root removes the second admin.
  private func removal() throws -> VaultBranch {
    try vault.branch { try $0.apply(try $0.batch(authors: [Cut(author: vault.secondAdminID, groups: nil)])) }
  }

  /// The second admin signs entries of its own instead.
  private func attack() throws -> VaultBranch {
    try vault.branch { vault in
      let app = try vault.log.append(
        vault.log.app("com.example.attack"), by: vault.secondSigner, key: vault.secondAdmin.signing)
      try vault.log.append(
        .principal(PrincipalStatement(app: app.hash, device: vault.secondID, keys: PartyKeys.random().publicKeys)),
        by: vault.secondSigner, key: vault.secondAdmin.signing)
      try vault.apply(try vault.batch(machines: [vault.memberID]), by: vault.secondSigner)
    }
  }

  @Test func `An admin that root has removed forks itself in no more, at any entry before its removal`() throws {
    let removal = try removal()
    let attack = try attack()
    let branches = seen(by: removal, attack)
    #expect(branches.fork == nil && branches.effective.head == removal.vault.membership.head)
    #expect(branches.competingEntries(where: { !$0.counts }) == Set(attack.entries.map(\.hash)))
    #expect(branches.effective.devices[vault.memberID]?.revocation == nil)
    // A branch that begins earlier in the log than the removal's parent.
    var earlier = try SampleMembership(of: vault.log, entries: shared.dropLast())
    let entry = try earlier.append(
      earlier.app("com.example.early"), by: vault.secondSigner, key: vault.secondAdmin.signing)
    let early = LogBranches(
      chain: removal.vault.membership, entries: removal.vault.log.entries, competingEntries: [entry])
    #expect(early.fork == nil && Set(early.competingEntries.keys) == [entry.hash])
  }

  @Test func `Whoever has followed a removed admin sees the fork, obeys the removal, and is told to change`() throws {
    let removal = try removal()
    let attack = try attack()
    let branches = seen(by: attack, removal)
    #expect(branches.fork?.own == .removed)
    let effective = branches.effective
    #expect(effective.head == vault.membership.head)
    #expect(!effective.isMember(vault.secondSigner))
    // Neither what it granted nor what it removed counts.
    #expect(effective.apps.count == 2 && effective.devices[vault.memberID]?.revocation == nil)
    let record = try vault.record(by: vault.secondAdminID, in: vault.shared)
    #expect(effective.validity(of: record) == .notEntitled)
    #expect(effective.validity(of: try vault.record(by: vault.writers[2].id, in: vault.shared)) == .valid)
  }

  @Test
  func `What another admin signs after an entry of a removed one falls with it, and its machine is told to change`()
    throws
  {
    let removal = try removal()
    let followed = try vault.branch { vault in
      try vault.log.append(
        vault.log.app("com.example.attack"), by: vault.secondSigner, key: vault.secondAdmin.signing)
      try vault.log.append(vault.log.app("com.example.followed"))
    }
    // Otherwise, a removed admin could get others to sign after its own entries, and nobody could end the fork.
    let branches = seen(by: removal, followed)
    #expect(
      branches.fork == nil && branches.competingEntries(where: { !$0.counts }) == Set(followed.entries.map(\.hash)))
    #expect(branches.effective.head == removal.vault.membership.head)
    let follower = seen(by: followed, removal)
    #expect(follower.fork?.own == .removed)
    #expect(!follower.effective.isMember(vault.secondSigner) && follower.effective.apps.count == 2)
  }

  @Test
  func `What root signs after an entry of a removed admin counts, and who followed the removal sees the fork`() throws {
    let removal = try removal()
    // The host tells root's machine that the admin's entry came first, and shows the removal to another machine.
    let other = try vault.branch { vault in
      try vault.log.append(
        vault.log.app("com.example.first"), by: vault.secondSigner, key: vault.secondAdmin.signing)
      try vault.log.append(.withdrawal(WithdrawalStatement(entries: removal.entries.map(\.hash))), by: .root)
    }
    #expect(seen(by: other, removal).fork == nil)
    let shown = seen(by: removal, other)
    #expect(shown.fork?.own == .withdrawn)
    #expect(!shown.effective.isMember(vault.secondSigner))
  }

  @Test func `An entry of a removed admin after another admin's takes nothing from the branch of that one`() throws {
    let removal = try removal()
    let other = try vault.branch { vault in
      try vault.log.append(vault.log.app("com.example.other"))
      try vault.log.append(
        vault.log.app("com.example.attack"), by: vault.secondSigner, key: vault.secondAdmin.signing)
    }
    let branches = seen(by: removal, other)
    #expect(branches.fork?.heads.last == other.entries[0].position)
    #expect(branches.competingEntries(where: { !$0.counts }) == [other.entries[1].hash])
    #expect(seen(by: other, removal).fork?.own.counts == true)
  }

  @Test func `While the log is forked, what either branch removes is removed, and what it adds does not count`() throws
  {
    let device = PartyKeys.random().publicKeys
    let listed = try vault.record(by: vault.writers[0].id, in: vault.shared, item: 1)
    let other = try vault.record(by: vault.writers[0].id, in: vault.shared, item: 2)
    let lost = RevocationStatement.LostGroup(group: vault.drafts, keepsReading: true)
    let one = try vault.branch { vault in
      try vault.apply(
        try vault.batch(authors: [Cut(author: vault.writers[0].id, groups: nil)], records: [listed.hash]))
      try vault.log.append(
        .device(
          DeviceStatement(keys: device, role: .member(delivery: AgreementKey.random().publicKey), name: "new")))
    }
    let two = try vault.branch { vault in
      try vault.apply(try vault.batch(machines: [vault.memberID]), by: vault.secondSigner)
      try vault.apply(
        try vault.batch(authors: [Cut(author: vault.writers[1].id, groups: [lost])]), by: vault.secondSigner)
      let reader = try #require(
        vault.membership.apps.values.first { $0.statement.bundleID == RevocableVault.reader })
      try vault.apply(try vault.batch(apps: [reader.registration]), by: vault.secondSigner)
    }
    var states: [Membership] = []
    for (own, other) in [(one, two), (two, one)] {
      var own = own
      own.vault.log.membership.add(RecordList.lists(of: [listed.hash], in: vault.log.vault))
      let branches = seen(by: own, other)
      #expect(branches.fork?.parent == vault.membership.head)
      states.append(branches.effective)
    }
    for state in states {
      #expect(state.head == vault.membership.head && state.devices.count == 3)
      #expect(state.groups == vault.membership.groups, "the keys of neither branch")
      #expect(state.validity(of: listed) == .valid && state.validity(of: other) == .notEntitled)
      #expect(state.devices[vault.memberID]?.revocation != nil && state.holders(on: vault.memberID).isEmpty)
      #expect(state.apps.count == 1 && state.revocations.count == 4)
      let writer = try #require(state.authors[vault.writers[1].id])
      #expect(state.access(of: writer, to: vault.drafts) == .readOnly)
      #expect(state.access(of: writer, to: vault.shared) == .readWrite)
    }
    // Every machine has the same state, whichever branch it has followed.
    #expect(states[0].authors == states[1].authors && states[0].devices == states[1].devices)
    #expect(states[0].revocations == states[1].revocations)
  }

  @Test func `Of one author's two cuts the same one applies on every machine`() throws {
    let records = try (1...2).map { try vault.record(by: vault.writers[0].id, in: vault.shared, item: $0) }
    let lists = records.map { RecordList.lists(of: [$0.hash], in: vault.log.vault) }
    let branches = try [vault.log.adminSigner, vault.secondSigner].enumerated().map { index, signer in
      try vault.branch { vault in
        vault.log.membership.add(lists.flatMap { $0 })
        try vault.apply(
          try vault.batch(
            authors: [Cut(author: vault.writers[0].id, groups: nil)], records: [records[index].hash]), by: signer)
      }
    }
    let states = [seen(by: branches[0], branches[1]).effective, seen(by: branches[1], branches[0]).effective]
    #expect(states[0].authors == states[1].authors)
    for state in states { #expect(records.filter { state.validity(of: $0) == .valid }.count == 1) }
  }

  @Test func `The prefix of a batch removes nobody on a branch either`() throws {
    let whole = try vault.batch(machines: [vault.memberID])
    let prefix = try vault.branch { vault in
      try vault.log.append(.revocation(whole.revocation), by: vault.secondSigner, key: vault.secondAdmin.signing)
    }
    let other = try vault.branch { try $0.log.append($0.log.app("com.example.other")) }
    for (own, competing) in [(prefix, other), (other, prefix)] {
      let branches = seen(by: own, competing)
      #expect(branches.fork != nil && branches.effective.devices[vault.memberID]?.revocation == nil)
    }
    // Without a competing entry, the machine keeps what it had.
    let alone = LogBranches(chain: prefix.vault.membership)
    #expect(alone.effective.head == vault.membership.head && alone.chain.head == prefix.vault.membership.head)
    // A fork inside a batch: what is before it counts.
    let inside = try vault.branch { vault in
      try vault.log.append(.revocation(whole.revocation), by: vault.secondSigner, key: vault.secondAdmin.signing)
      try vault.log.append(whole.following[0], by: vault.secondSigner, key: vault.secondAdmin.signing)
    }
    var reordered = inside
    reordered = try vault.branch { vault in
      vault.log = prefix.vault.log
      try vault.log.append(whole.following[1], by: vault.secondSigner, key: vault.secondAdmin.signing)
    }
    let branches = seen(by: inside, reordered)
    #expect(branches.fork?.parent == prefix.vault.membership.head)
    #expect(branches.effective.head == vault.membership.head)
  }

  @Test func `An admin is removed at every entry at which it races`() throws {
    // The second admin's entry came first: root signs the removal anew after it, and its records are as listed.
    var copy = vault
    let record = try copy.record(by: copy.secondAdminID, in: copy.shared)
    let batch = try copy.batch(authors: [Cut(author: copy.secondAdminID, groups: nil)])
    let stale = copy.log.entry(.revocation(batch.revocation), by: .root)
    try copy.log.append(
      copy.log.app("com.example.first"), by: copy.secondSigner, key: copy.secondAdmin.signing)
    #expect(refusal(of: stale, by: copy.membership) == .brokenChain)
    try copy.apply(try copy.batch(authors: [Cut(author: copy.secondAdminID, groups: nil)]))
    #expect(copy.membership.apps.count == 3)
    #expect(copy.membership.validity(of: record) == .notEntitled)
    // A renewal in between makes the stale keys wrong.
    var renewed = vault
    let keys = try #require(renewed.groupKeys[renewed.shared]).later(generation: 2)
    let renewal = try renewed.renewal(of: renewed.shared, to: keys)
    try renewed.log.append(.groupKeyRenewal(renewal), by: renewed.secondSigner, key: renewed.secondAdmin.signing)
    #expect(
      refusal(of: renewed.log.entry(.revocation(batch.revocation), by: .root), by: renewed.membership)
        == .contradiction)
  }
}
