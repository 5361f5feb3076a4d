import CofferCrypto
import CofferFormat
import CofferKeys
import Testing

@testable import CofferTrust

/// What a revocation leaves to the authors and machines that it names.
@Suite struct RevocationTests {
  private let vault: RevocableVault

  init() throws { vault = try RevocableVault() }

  private func cut(_ author: AuthorID, _ groups: [RevocationStatement.LostGroup]? = nil)
    -> RevocationStatement.CutAuthor
  {
    RevocationStatement.CutAuthor(author: author, groups: groups)
  }

  private func lost(_ group: GroupID, keepsReading: Bool = false) -> RevocationStatement.LostGroup {
    RevocationStatement.LostGroup(group: group, keepsReading: keepsReading)
  }

  @Test func `Of a removed app's records the listed ones stay valid, in each of its groups, and all others never are`()
    throws
  {
    var vault = vault
    let author = vault.writers[0].id
    let groups = [vault.shared, vault.drafts, vault.log.group(RevocableVault.writer)]
    let listed = try groups.map { try vault.record(by: author, in: $0, item: 1) }
    let others = try groups.map { try vault.record(by: author, in: $0, item: 2) }
    let elsewhere = try vault.record(by: vault.writers[1].id, in: vault.shared)
    for record in listed + others { #expect(vault.membership.validity(of: record) == .valid) }
    let before = vault.groupKeys
    try vault.apply(try vault.batch(authors: [cut(author)], records: listed.map(\.hash)))
    for record in listed { #expect(vault.membership.validity(of: record) == .valid) }
    for record in others { #expect(vault.membership.validity(of: record) == .notEntitled) }
    // Written later, under the old and the new keys.
    for group in groups {
      for keys in [before[group], vault.groupKeys[group]] {
        let late = try vault.log.record(
          keys: #require(keys), author: author, signer: vault.writers[0].keys.signing, item: 3)
        #expect(vault.membership.validity(of: late) == .notEntitled)
      }
    }
    #expect(vault.membership.validity(of: elsewhere) == .valid)
    // A list is of records, and no permission to sign for its author.
    let forged = try vault.log.record(
      keys: #require(before[vault.shared]), author: author, signer: vault.writers[1].keys.signing, item: 1)
    #expect(vault.membership.validity(of: forged) == .invalid("its author did not sign it"))
    let author0 = try #require(vault.membership.authors[author])
    #expect(groups.allSatisfy { vault.membership.access(of: author0, to: $0) == nil })
  }

  @Test func `A list makes no record valid in a group that its author could not write`() throws {
    var vault = vault
    let reader = vault.readers[0].id
    let record = try vault.record(by: reader, in: vault.shared)
    let outside = try vault.log.record(
      keys: #require(vault.groupKeys[vault.drafts]), author: reader, signer: vault.readers[0].keys.signing)
    #expect(vault.membership.validity(of: record) == .notEntitled)
    try vault.apply(try vault.batch(authors: [cut(reader)], records: [record.hash, outside.hash]))
    #expect(vault.membership.validity(of: record) == .notEntitled)
    #expect(vault.membership.validity(of: outside) == .notEntitled)
  }

  @Test func `A removed admin's listed records stay valid in every group`() throws {
    var vault = vault
    let groups = vault.groupKeys.keys.sorted()
    let listed = try groups.map { try vault.record(by: vault.secondAdminID, in: $0, item: 1) }
    let other = try vault.record(by: vault.secondAdminID, in: vault.shared, item: 2)
    try vault.apply(try vault.batch(authors: [cut(vault.secondAdminID)], records: listed.map(\.hash)))
    for record in listed { #expect(vault.membership.validity(of: record) == .valid) }
    #expect(vault.membership.validity(of: other) == .notEntitled)
  }

  @Test(arguments: [true, false])
  func `An author that loses a group keeps the others, and its listed records of that one`(keepsReading: Bool) throws {
    var vault = vault
    let author = vault.writers[0].id
    let listed = try vault.record(by: author, in: vault.shared, item: 1)
    let other = try vault.record(by: author, in: vault.shared, item: 2)
    let draft = try vault.record(by: author, in: vault.drafts, item: 3)
    let batch = try vault.batch(
      authors: [cut(author, [lost(vault.shared, keepsReading: keepsReading)])], records: [listed.hash])
    // Who goes on reading has lost nothing that a new key would protect.
    #expect(batch.following.count == (keepsReading ? 0 : 1))
    try vault.apply(batch, by: vault.secondSigner)
    #expect(vault.membership.validity(of: listed) == .valid)
    #expect(vault.membership.validity(of: other) == .notEntitled)
    #expect(vault.membership.validity(of: draft) == .valid)
    let cutAuthor = try #require(vault.membership.authors[author])
    #expect(vault.membership.access(of: cutAuthor, to: vault.shared) == (keepsReading ? .readOnly : nil))
    #expect(vault.membership.access(of: cutAuthor, to: vault.drafts) == .readWrite)
    let name = try #require(vault.membership.groups[vault.shared]).name
    #expect(vault.membership.recipients(of: name, at: Timestamp(microseconds: 2)).contains(author) == keepsReading)
  }

  @Test func `A later revocation of an author makes nothing valid that an earlier one refused`() throws {
    var vault = vault
    let author = vault.writers[0].id
    let first = try vault.record(by: author, in: vault.shared, item: 1)
    let second = try vault.record(by: author, in: vault.shared, item: 2)
    let draft = try vault.record(by: author, in: vault.drafts, item: 3)
    try vault.apply(
      try vault.batch(authors: [cut(author, [lost(vault.shared, keepsReading: true)])], records: [first.hash]))
    // The second one lists everything, and takes reading away as well.
    let again = try vault.batch(authors: [cut(author, [lost(vault.shared)])], records: [second.hash, draft.hash])
    #expect(again.revocation.keys.map(\.group) == [vault.shared])
    try vault.apply(again)
    #expect(vault.membership.validity(of: second) == .notEntitled)
    #expect(vault.membership.validity(of: draft) == .valid)
    let author0 = try #require(vault.membership.authors[author])
    #expect(vault.membership.access(of: author0, to: vault.shared) == nil)
    try vault.apply(try vault.batch(authors: [cut(author)], records: [second.hash, draft.hash]))
    #expect(vault.membership.validity(of: first) == .valid)
    #expect(vault.membership.validity(of: second) == .notEntitled)
    #expect(vault.membership.validity(of: draft) == .valid)
  }

  @Test func `Who cannot read a group any more does not read it again by a later revocation`() throws {
    var vault = vault
    let author = vault.writers[0].id
    try vault.apply(try vault.batch(authors: [cut(author, [lost(vault.shared)])]))
    let again = try vault.batch(authors: [cut(author, [lost(vault.shared, keepsReading: true)])])
    #expect(again.following.isEmpty)
    try vault.apply(again)
    let name = try #require(vault.membership.groups[vault.shared]).name
    #expect(!vault.membership.recipients(of: name, at: Timestamp(microseconds: 2)).contains(author))
  }

  @Test func `A revoked machine stays known, has no authors, and gets no app`() throws {
    var vault = vault
    let revocation = try vault.apply(try vault.batch(machines: [vault.memberID]), by: vault.secondSigner)
    let device = try #require(vault.membership.devices[vault.memberID])
    #expect(device.revocation == revocation.position && device.keys == vault.memberDevice.publicKeys)
    #expect(vault.membership.holders(on: vault.memberID).isEmpty)
    #expect(vault.membership.transportCommitments.last == vault.transport.commitment)
    let registration = try #require(vault.membership.apps.values.first).registration
    let principal = Statement.principal(
      PrincipalStatement(app: registration, device: vault.memberID, keys: PartyKeys.random().publicKeys))
    #expect(refusal(of: vault.log.entry(principal), by: vault.membership) == .contradiction)
    let again = Statement.device(
      DeviceStatement(keys: device.keys, role: .member(delivery: AgreementKey.random().publicKey), name: "again"))
    #expect(refusal(of: vault.log.entry(again), by: vault.membership) == .contradiction)
  }

  @Test func `A removed app has no authors on any machine, and an older registration of it has no new one`() throws {
    var vault = vault
    let old = try #require(vault.membership.apps.values.first { $0.statement.bundleID == RevocableVault.writer })
    let latest = try vault.log.append(
      vault.log.app(RevocableVault.writer, stating: vault.writerGroups, plist: "again"))
    try vault.apply(try vault.batch(apps: [latest.hash]))
    #expect(vault.membership.apps[old.id] == nil && vault.membership.holders(of: old.id).isEmpty)
    for registration in [old.registration, latest.hash] {
      let principal = PrincipalStatement(
        app: registration, device: vault.log.deviceID, keys: PartyKeys.random().publicKeys)
      #expect(refusal(of: vault.log.entry(.principal(principal)), by: vault.membership) == .contradiction)
    }
    // Registered once more, it has rights by a new principal, and its earlier ones stay out.
    let again = try vault.log.append(vault.log.app(RevocableVault.writer, stating: vault.writerGroups))
    let principal = try vault.addPrincipal(of: again.hash, on: vault.memberID)
    let record = try vault.log.record(
      keys: #require(vault.groupKeys[vault.shared]), author: principal.id, signer: principal.keys.signing)
    #expect(vault.membership.validity(of: record) == .valid)
    for writer in vault.writers {
      let author = try #require(vault.membership.authors[writer.id])
      #expect(vault.membership.access(of: author, to: vault.shared) == nil)
      #expect(vault.membership.validity(of: try vault.record(by: writer.id, in: vault.shared)) == .notEntitled)
    }
  }

  @Test func `A removed admin signs nothing, whatever its machine does`() throws {
    var vault = vault
    let apps = [vault.log.app("com.example.new", stating: [])]
    try vault.apply(try vault.batch(authors: [cut(vault.secondAdminID)]))
    #expect(vault.membership.devices[vault.secondID]?.revocation == nil)
    #expect(!vault.membership.isMember(vault.secondSigner))
    let device = Statement.device(
      DeviceStatement(
        keys: PartyKeys.random().publicKeys, role: .member(delivery: AgreementKey.random().publicKey), name: "x"))
    let revocation = Statement.revocation(try vault.batch(authors: [cut(vault.writers[0].id)]).revocation)
    for statement in apps + [device, revocation] {
      let entry = vault.log.entry(statement, by: vault.secondSigner, key: vault.secondAdmin.signing)
      #expect(refusal(of: entry, by: vault.membership) == .notAuthorised)
    }
    // Neither the same keys on another machine nor those of the first machine make it an admin again.
    let elsewhere = DeviceStatement(
      keys: PartyKeys.random().publicKeys,
      role: .admin(vault.secondAdmin.publicKeys, delivery: AgreementKey.random().publicKey), name: "elsewhere")
    let same = DeviceStatement(
      keys: vault.secondDevice.publicKeys,
      role: .admin(vault.secondAdmin.publicKeys, delivery: AgreementKey.random().publicKey), name: "second")
    for statement in [elsewhere, same] {
      #expect(refusal(of: vault.log.entry(.device(statement), by: .root), by: vault.membership) == .contradiction)
    }
  }

  @Test func `What is stated of the first machine does not make it or its admin a member again`() throws {
    let name = Statement.device(
      DeviceStatement(
        keys: vault.log.device.publicKeys,
        role: .admin(vault.log.admin.publicKeys, delivery: AgreementKey.random().publicKey), name: "laptop"))
    #expect(refusal(of: vault.log.entry(name, by: .root), by: vault.membership) == nil)
    for isMachine in [true, false] {
      var vault = vault
      try vault.apply(
        isMachine
          ? try vault.batch(machines: [vault.log.deviceID]) : try vault.batch(authors: [cut(vault.adminID)]))
      #expect(refusal(of: vault.log.entry(name, by: .root), by: vault.membership) == .contradiction)
    }
  }

  @Test func `A revoked machine's segments count up to the last one of each stream that the revocation names`() throws {
    var vault = vault
    func position(_ stream: UInt8, _ number: UInt64, _ hash: UInt8 = 0) -> StreamPosition {
      StreamPosition(
        stream: StreamID(Bytes16(truncating: Hash.digest([stream], domain: .item))), number: number,
        hash: SegmentHash(Hash.digest([hash], domain: .segment)))
    }
    let batch = try vault.batch(machines: [vault.memberID])
    var changed = batch
    changed.revocation = batch.revocation.with(
      machines: [RevocationStatement.Machine(device: vault.memberID, ends: [position(1, 5), position(2, 0)])])
    let before = try #require(vault.membership.devices[vault.memberID])
    #expect(before.allows(position(3, 9, 7)))
    try vault.apply(changed)
    let device = try #require(vault.membership.devices[vault.memberID])
    let cases: [(StreamPosition, Bool)] = [
      (position(1, 0, 9), true), (position(1, 4, 9), true), (position(1, 5), true), (position(1, 5, 9), false),
      (position(1, 6), false), (position(1, Limits.position), false), (position(2, 0), true),
      (position(2, 0, 9), false), (position(2, 1), false), (position(3, 0), false),
    ]
    for (position, isAllowed) in cases { #expect(device.allows(position) == isAllowed, "\(position)") }
  }

  @Test func `A list of another vault makes no record valid, and the lists that are missing are named`() throws {
    var vault = vault
    let author = vault.writers[0].id
    let record = try vault.record(by: author, in: vault.shared)
    let batch = try vault.batch(authors: [cut(author)], records: [record.hash])
    var withheld = batch
    withheld.lists = RecordList.lists(of: [record.hash], in: .random())
    let revocation = try vault.apply(withheld)
    #expect(vault.membership.missingRecordLists.map(\.entry) == [revocation.sequence])
    #expect(vault.membership.missingRecordLists.map(\.hash) == batch.lists.map(\.hash))
    #expect(vault.membership.validity(of: record) == .notEntitled)
    vault.log.membership.add(batch.lists)
    #expect(vault.membership.missingRecordLists.isEmpty)
    #expect(vault.membership.validity(of: record) == .valid)
  }

  @Test func `A list that names another vault is missing, although its hash is the one that the revocation names`()
    throws
  {
    var vault = vault
    let record = try vault.record(by: vault.writers[0].id, in: vault.shared)
    let other = RecordList.lists(of: [record.hash], in: .random())
    let valid = try vault.batch(authors: [cut(vault.writers[0].id)], records: [record.hash])
    var batch = valid
    batch.lists = other
    batch.revocation = RevocationStatement(
      machines: [], apps: [], authors: valid.revocation.authors, recordCount: 1, recordLists: other.map(\.hash),
      followingEntries: valid.revocation.followingEntries, keys: valid.revocation.keys)
    try vault.apply(batch)
    #expect(vault.membership.missingRecordLists.map(\.hash) == other.map(\.hash))
    #expect(vault.membership.validity(of: record) == .notEntitled)
  }

  @Test func `A record is looked for in each list of a revocation`() throws {
    var vault = vault
    let author = vault.writers[0].id
    let records = try (0..<3).map { try vault.record(by: author, in: vault.shared, item: $0) }
    var others: [RecordHash] = []
    for number in 0..<RecordList.capacity {
      let bytes = [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
      others.append(RecordHash(Hash.digest(bytes, domain: .record)))
    }
    let batch = try vault.batch(authors: [cut(author)], records: records.map(\.hash) + others)
    #expect(batch.lists.map(\.count) == [RecordList.capacity, 3])
    try vault.apply(batch)
    for record in records { #expect(vault.membership.validity(of: record) == .valid) }
    let late = try vault.record(by: author, in: vault.shared, item: 9)
    #expect(vault.membership.validity(of: late) == .notEntitled)
  }
}
