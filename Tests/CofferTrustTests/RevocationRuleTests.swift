import CofferCrypto
import CofferFormat
import CofferKeys
import CofferTrust
import Testing

/// Revocations that a reader refuses.
@Suite struct RevocationRuleTests {
  private typealias Cut = RevocationStatement.CutAuthor

  private let vault: RevocableVault

  init() throws { vault = try RevocableVault() }

  private func expect(
    _ code: TrustError.Code?, _ statement: RevocationStatement, by signer: LogEntry.Signer? = nil,
    in vault: RevocableVault? = nil, _ comment: Comment? = nil, location: SourceLocation = #_sourceLocation
  ) {
    let vault = vault ?? self.vault
    let signer = signer ?? vault.log.adminSigner
    let entry = vault.log.entry(.revocation(statement), by: signer, key: vault.signingKey(of: signer))
    #expect(refusal(of: entry, by: vault.membership) == code, comment, sourceLocation: location)
  }

  @Test func `Only root removes an admin, and takes everything from it`() throws {
    let admin = try vault.batch(authors: [Cut(author: vault.secondAdminID, groups: nil)]).revocation
    expect(.notAuthorised, admin)
    expect(.notAuthorised, admin, by: vault.secondSigner, "its own removal")
    expect(nil, admin, by: .root)
    let machine = try vault.batch(machines: [vault.secondID]).revocation
    expect(.notAuthorised, machine)
    expect(nil, machine, by: .root)
    // Its machine cannot be revoked without it.
    let apps = machine.authors.filter { $0.author != vault.secondAdminID }
    expect(.contradiction, machine.with(authors: apps))
    expect(.contradiction, machine.with(authors: apps), by: .root)
    let lost = RevocationStatement.LostGroup(group: vault.shared, keepsReading: false)
    let part = try vault.batch(authors: [Cut(author: vault.writers[0].id, groups: [lost])]).revocation
    expect(nil, part)
    expect(.contradiction, part.with(authors: [Cut(author: vault.secondAdminID, groups: [lost])]), by: .root)
  }

  @Test func `A member's keys and an app's keys sign no revocation`() throws {
    let statement = try vault.batch(authors: [Cut(author: vault.writers[0].id, groups: nil)]).revocation
    expect(nil, statement)
    for (keys, author) in [
      (vault.memberDevice, AuthorID(vault: vault.log.vault, keys: vault.memberDevice.publicKeys)),
      (vault.writers[1].keys, vault.writers[1].id), (vault.memberDevice, vault.adminID),
    ] {
      let entry = vault.log.entry(.revocation(statement), by: .admin(author), key: keys.signing)
      #expect(refusal(of: entry, by: vault.membership) == .notAuthorised)
    }
  }

  @Test func `Authors that are unknown or were cut off are not named`() throws {
    let unknown = Cut(author: AuthorID(vault: vault.log.vault, keys: PartyKeys.random().publicKeys), groups: nil)
    let valid = try vault.batch(authors: [Cut(author: vault.writers[0].id, groups: nil)]).revocation
    expect(.contradiction, valid.with(authors: valid.authors + [unknown]))
    expect(.contradiction, valid.with(authors: valid.authors + [Cut(author: .root, groups: nil)]), by: .root)
    var after = vault
    try after.apply(try vault.batch(authors: valid.authors))
    for groups in [nil, [RevocationStatement.LostGroup(group: vault.shared, keepsReading: false)]] {
      let again = Cut(author: vault.writers[0].id, groups: groups)
      let next = try after.batch(authors: [Cut(author: vault.writers[1].id, groups: nil)]).revocation
      expect(nil, next, in: after)
      expect(.contradiction, next.with(authors: next.authors + [again]), in: after)
    }
  }

  @Test func `A machine that is revoked loses all its authors, completely`() throws {
    let valid = try vault.batch(machines: [vault.memberID]).revocation
    expect(nil, valid)
    #expect(valid.authors.count == 2)
    for author in valid.authors {
      expect(.contradiction, valid.with(authors: valid.authors.filter { $0 != author }), "without one")
      let groups = [vault.shared, vault.drafts].sorted().map {
        RevocationStatement.LostGroup(group: $0, keepsReading: false)
      }
      let partly = valid.authors.map { $0 == author ? Cut(author: $0.author, groups: groups) : $0 }
      expect(.contradiction, valid.with(authors: partly), "with some groups of one")
    }
    let unknown = RevocationStatement.Machine(device: DeviceID(.zero), ends: [])
    expect(.contradiction, valid.with(machines: [unknown]))
    expect(.contradiction, valid.with(machines: valid.machines + [unknown]))
    var after = vault
    try after.apply(try vault.batch(machines: [vault.memberID]))
    let next = try after.batch(authors: [Cut(author: vault.writers[0].id, groups: nil)]).revocation
    expect(.contradiction, next.with(machines: valid.machines), in: after)
  }

  @Test func `An author that an earlier revocation has cut off is not needed for its machine`() throws {
    var after = vault
    try after.apply(try vault.batch(authors: [Cut(author: vault.writers[2].id, groups: nil)]))
    let machine = try after.batch(machines: [vault.memberID]).revocation
    #expect(machine.authors.map(\.author) == [vault.readers[2].id])
    expect(nil, machine, in: after)
    // One that has lost a group still has the others.
    var partly = vault
    let lost = RevocationStatement.LostGroup(group: vault.shared, keepsReading: false)
    try partly.apply(try vault.batch(authors: [Cut(author: vault.writers[2].id, groups: [lost])]))
    #expect(try partly.batch(machines: [vault.memberID]).revocation.authors.count == 2)
  }

  @Test func `An app that is removed is named by its latest registration, and loses all its authors`() throws {
    var vault = vault
    let old = try #require(vault.membership.apps.values.first { $0.statement.bundleID == RevocableVault.writer })
    let latest = try vault.log.append(
      vault.log.app(RevocableVault.writer, stating: vault.writerGroups, plist: "again"))
    let valid = try vault.batch(apps: [latest.hash]).revocation
    #expect(Set(valid.authors.map(\.author)) == Set(vault.writers.map(\.id)))
    expect(nil, valid, in: vault)
    expect(.contradiction, valid.with(apps: [old.registration]), in: vault, "an older registration")
    expect(.contradiction, valid.with(apps: [EntryHash(.zero)]), in: vault, "no registration")
    expect(.contradiction, valid.with(authors: Array(valid.authors.dropFirst())), in: vault)
    var after = vault
    try after.apply(try vault.batch(apps: [latest.hash]))
    let reader = try #require(after.membership.apps.values.first).registration
    let next = try after.batch(apps: [reader]).revocation
    expect(nil, next, in: after)
    expect(.contradiction, next.with(apps: [reader, latest.hash]), in: after, "removed before")
  }

  @Test func `Every key that was readable is replaced by its next generation, and by nothing else`() throws {
    let valid = try vault.batch(machines: [vault.memberID]).revocation
    #expect(valid.keys.count == 5 && valid.keys.contains { $0.group == .none })
    for key in valid.keys {
      expect(.contradiction, valid.with(keys: valid.keys.filter { $0 != key }), "without a key")
      for generation: UInt32 in [0, 1, 3, .max] {
        let other = NewKey(
          group: key.group, generation: generation, commitment: key.commitment)
        expect(.contradiction, valid.with(keys: valid.keys.map { $0 == key ? other : $0 }), "\(generation)")
      }
    }
    // A key that no entry can introduce would leave the vault without a next entry for ever.
    let unknown = NewKey(
      group: vault.log.group("com.example.none"), generation: 1, commitment: .zero)
    expect(.contradiction, valid.with(followingEntries: 6, keys: valid.keys + [unknown]))
    for count: UInt32 in [0, 4] { expect(.contradiction, valid.with(followingEntries: count)) }
    expect(nil, valid.with(followingEntries: .max))
  }

  @Test func `Only what an author could read needs a new key`() throws {
    func keys(_ authors: [Cut]) throws -> [GroupID] {
      try vault.batch(authors: authors).revocation.keys.map(\.group)
    }
    let own = vault.log.group(RevocableVault.writer)
    #expect(
      try keys([Cut(author: vault.writers[0].id, groups: nil)]) == [vault.shared, vault.drafts, own].sorted())
    #expect(
      try keys([Cut(author: vault.readers[0].id, groups: nil)])
        == [vault.shared, vault.log.group(RevocableVault.reader)].sorted())
    #expect(
      try keys([Cut(author: vault.secondAdminID, groups: nil)]) == vault.groupKeys.keys.sorted())
    // A group that it could not read, one that does not exist, and one that it goes on reading.
    let groups = [(vault.log.group(RevocableVault.reader), false), (GroupID(.zero), false), (vault.shared, true)]
    #expect(
      try keys([
        Cut(
          author: vault.writers[0].id,
          groups: groups.map { RevocationStatement.LostGroup(group: $0.0, keepsReading: $0.1) })
      ]).isEmpty)
  }
}
