import CofferCrypto
import CofferFormat
import CofferKeys
import CofferTrust
import Testing

/// Root hands the vault to new keys.
@Suite struct SuccessionTests {
  private let vault: RevocableVault
  private let handover: RevocableVault.Handover

  init() throws {
    vault = try RevocableVault()
    handover = try vault.handover()
  }

  private func vault(after count: Int? = nil, of handover: RevocableVault.Handover? = nil) throws -> RevocableVault {
    var copy = vault
    try copy.apply(handover ?? self.handover, through: count)
    return copy
  }

  private func refusal(
    _ statement: Statement, in vault: RevocableVault? = nil, by signer: LogEntry.Signer = .root, key: SigningKey? = nil
  ) -> TrustError.Code? {
    let vault = vault ?? self.vault
    return CofferTrustTests.refusal(
      of: vault.log.entry(statement, by: signer, key: key ?? vault.signingKey(of: signer)), by: vault.membership)
  }

  private func device(_ name: String) -> Statement {
    .device(
      DeviceStatement(
        keys: PartyKeys.random().publicKeys,
        role: .admin(PartyKeys.random().publicKeys, delivery: AgreementKey.random().publicKey), name: name))
  }

  @Test func `After a succession only the new root signs for root`() throws {
    #expect(vault.membership.root == vault.membership.genesis.root && vault.membership.rootGeneration == 1)
    let old = vault.log.root.signing
    let after = try vault(after: nil)
    #expect(after.membership.root == handover.root.publicKeys && after.membership.rootGeneration == 2)
    #expect(refusal(device("by the new root"), in: after) == nil)
    #expect(refusal(device("by the old root"), in: after, key: old) == .notAuthorised)
    #expect(refusal(device("by the new root"), key: handover.root.signing) == .notAuthorised)
    let next = try after.handover()
    #expect(refusal(.succession(next.succession), in: after, key: old) == .notAuthorised)
    var twice = after
    try twice.apply(next)
    #expect(twice.membership.root == next.root.publicKeys && twice.membership.rootGeneration == 3)
    #expect(twice.membership.succession(from: handover.root.publicKeys)?.statement == next.succession)
    #expect(twice.membership.succession(from: vault.log.root.publicKeys)?.statement == handover.succession)
    #expect(twice.membership.succession(from: next.root.publicKeys) == nil)
  }

  @Test func `Of a copy of an entry counts only a signature of its own signer, whoever root is now`() throws {
    let after = try vault(after: nil)
    let log = after.log.entries
    let (old, new) = (vault.log.root.signing, handover.root.signing)
    func copy(_ index: Int, key: SigningKey) throws -> LogEntry {
      let (entry, before) = (log[index], index > 0 ? log[index - 1].hash : vault.membership.genesis.hash)
      let copy = LogEntry(
        vault: entry.vault, after: LogPosition(sequence: entry.sequence - 1, hash: before), time: entry.time,
        signer: entry.signer, key: key, statement: try #require(try Statement.parse(entry)))
      #expect(copy.hash == entry.hash)
      return copy
    }
    let succession = vault.log.entries.count
    for index in [0, succession] {
      #expect(try after.membership.hasSigned(copy(index, key: old)))
      #expect(try !after.membership.hasSigned(copy(index, key: new)))
    }
    for index in [succession + 1, log.count - 1] {
      #expect(try after.membership.hasSigned(copy(index, key: new)))
      #expect(try !after.membership.hasSigned(copy(index, key: old)))
    }
    let index = try #require(log.firstIndex { $0.signer == vault.log.adminSigner })
    #expect(try after.membership.hasSigned(copy(index, key: vault.log.admin.signing)))
    #expect(try !after.membership.hasSigned(copy(index, key: new)))
  }

  @Test func `Only root hands the vault over, to the next root, with keys that no root had`() throws {
    let valid = handover.succession
    #expect(refusal(.succession(valid)) == nil)
    for signer in [vault.log.adminSigner, vault.secondSigner] {
      #expect(refusal(.succession(valid), by: signer) == .notAuthorised)
    }
    #expect(refusal(.succession(valid.with(generation: 3))) == .contradiction)
    let own = vault.log.root.publicKeys
    #expect(refusal(.succession(valid.with(root: own))) == .contradiction)
    let mixed = [
      PartyPublicKeys(verifying: own.verifying, box: valid.root.box),
      PartyPublicKeys(verifying: valid.root.verifying, box: own.box),
    ]
    for root in mixed { #expect(refusal(.succession(valid.with(root: root))) == .contradiction) }
    // Neither does a later one bring an earlier root back.
    let after = try vault(after: nil)
    let next = try after.handover()
    for root in [own, handover.root.publicKeys] {
      #expect(refusal(.succession(next.succession.with(root: root)), in: after) == .contradiction)
    }
    #expect(refusal(.succession(next.succession.with(generation: 2)), in: after) == .contradiction)
  }

  @Test func `Every group's key and the transport key are replaced`() throws {
    let keys = handover.succession.keys
    #expect(Set(keys.map(\.group)) == Set(vault.membership.groups.keys).union([GroupID.none]) && keys.count == 5)
    for left in keys {
      let others = keys.filter { $0 != left }
      #expect(refusal(.succession(handover.succession.with(keys: others))) == .contradiction)
      let wrong = NewKey(group: left.group, generation: left.generation + 1, commitment: left.commitment)
      #expect(refusal(.succession(handover.succession.with(keys: others + [wrong]))) == .contradiction)
    }
    let unknown = NewKey(
      group: GroupID(vault: vault.log.vault, name: "none"), generation: 1, commitment: keys[0].commitment)
    #expect(
      refusal(.succession(handover.succession.with(followingEntries: 6, keys: keys + [unknown]))) == .contradiction)
    #expect(refusal(.succession(handover.succession.with(followingEntries: 4))) == .contradiction)
  }

  @Test func `Until all entries are there, root is the old one and nothing has changed`() throws {
    for count in 0..<5 {
      let prefix = try vault(after: count)
      #expect(prefix.membership.incompleteBatch?.sequence == vault.membership.head.sequence + 1)
      let complete = prefix.membership.complete
      #expect(complete.head == vault.membership.head && complete.root == vault.membership.root)
      #expect(complete.groups == vault.membership.groups && complete.successions.isEmpty)
      #expect(complete.transportCommitments == vault.membership.transportCommitments)
    }
    let whole = try vault(after: 5).membership
    #expect(whole.incompleteBatch == nil && whole.complete.root == handover.root.publicKeys)
  }

  @Test func `The entries of a succession are signed by the new root, which thereby agrees`() throws {
    for count in 0..<5 {
      let prefix = try vault(after: count)
      let statement = handover.following[count]
      #expect(refusal(statement, in: prefix) == nil)
      #expect(refusal(statement, in: prefix, key: vault.log.root.signing) == .notAuthorised)
      for signer in [vault.log.adminSigner, vault.secondSigner] {
        #expect(refusal(statement, in: prefix, by: signer) == .contradiction)
      }
      #expect(refusal(device("between"), in: prefix) == .contradiction)
    }
  }

  @Test func `Neither a revocation nor a second succession stands within a succession, nor one within a revocation`()
    throws
  {
    var longer = handover
    longer.succession = handover.succession.with(followingEntries: 9)
    let cut = RevocationStatement(
      machines: [], apps: [],
      authors: [.init(author: vault.writers[0].id, groups: [.init(group: vault.shared, keepsReading: true)])],
      recordCount: 0, recordLists: [], followingEntries: 0, keys: [])
    for count in 0...5 {
      let prefix = try vault(after: count, of: longer)
      #expect(refusal(.revocation(cut), in: prefix) == .contradiction)
      var complete = prefix
      complete.groupKeys = handover.groupKeys
      let second = handover.succession.with(root: PartyKeys.random().publicKeys, generation: 3)
      #expect(refusal(.succession(second), in: complete) == .contradiction)
    }
    var revoking = vault
    let batch = try vault.batch(authors: [.init(author: vault.writers[0].id, groups: nil)])
    try revoking.log.append(.revocation(batch.revocation), by: .root)
    #expect(refusal(.succession(handover.succession), in: revoking) == .contradiction)
  }

  @Test func `The new root opens every generation of every group, and the old root no new one`() throws {
    let after = try vault(after: nil)
    for group in after.membership.groups.values {
      #expect(group.generations.count == 2)
      let new = try group.keys(for: .root, opening: handover.root.agreement)
      #expect(new.map(\.generation) == [1, 2], "\(group.name)")
      let old = try group.keys(for: .root, opening: vault.log.root.agreement)
      #expect(old.map(\.generation) == [1], "\(group.name)")
      // Who remains opens it, too.
      #expect(try group.keys(for: vault.adminID, opening: vault.log.admin.agreement).map(\.generation) == [1, 2])
    }
  }

  @Test func `A withdrawal by the new root names entries that the old one signed`() throws {
    var after = try vault(after: nil)
    let given = vault.log.entry(device("given up"), by: .root)
    try after.log.append(.withdrawal(WithdrawalStatement(entries: [given.hash])), by: .root)
    #expect(after.membership.isWithdrawn(given.hash, by: .root))
  }
}
