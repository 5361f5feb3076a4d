import CofferCrypto
import CofferFormat
import CofferKeys
import CofferTrust
import Testing

@Suite struct MembershipAccessTests {
  @Test func `A record is valid if its author may write the group and signed it`() throws {
    var fixture = SampleMembership()
    let writer = try fixture.register("com.example.pro", groups: ["com.example.shared"])
    let reader = try fixture.register(
      "com.example.free", groups: ["com.example.free"], readOnly: ["com.example.shared"])
    let outsider = try fixture.register("com.example.other", groups: ["com.example.other"])
    let admin = AuthorID(vault: fixture.vault, keys: fixture.admin.publicKeys)
    let keys = GroupKeys.random(group: fixture.group("com.example.shared"))
    func validity(_ author: AuthorID, _ signer: SigningKey, vault: VaultID? = nil, generation: UInt32? = nil)
      -> RecordValidity
    {
      fixture.membership.validity(
        of: fixture.record(keys: keys, author: author, signer: signer, vault: vault, generation: generation))
    }
    // The group is not in the log yet; it may be added later.
    #expect(validity(writer.id, writer.keys.signing) == .unknownAuthor)
    try fixture.append(try fixture.groupKey("com.example.shared", keys: keys, to: []))

    #expect(validity(writer.id, writer.keys.signing) == .valid)
    #expect(validity(admin, fixture.admin.signing) == .valid)
    #expect(validity(reader.id, reader.keys.signing) == .notEntitled)
    #expect(validity(outsider.id, outsider.keys.signing) == .notEntitled)
    #expect(validity(writer.id, reader.keys.signing) == .invalid("its author did not sign it"))
    #expect(validity(writer.id, writer.keys.signing, vault: .random()) == .invalid("it belongs to another vault"))
    #expect(validity(AuthorID(Bytes16.zero), writer.keys.signing) == .unknownAuthor)
    for generation: UInt32 in [0, 2, .max] {
      #expect(validity(writer.id, writer.keys.signing, generation: generation) == .unknownAuthor)
    }
  }

  @Test func `A group's keys are for entitled apps (read-only ones too), admins and root only`() throws {
    var fixture = SampleMembership()
    let writer = try fixture.register("com.example.pro", groups: ["com.example.shared"])
    let reader = try fixture.register(
      "com.example.free", groups: ["com.example.free"], readOnly: ["com.example.shared"])
    let outsider = try fixture.register("com.example.other", groups: ["com.example.other"])
    let admin = AuthorID(vault: fixture.vault, keys: fixture.admin.publicKeys)
    let name = try #require(AccessGroupName("\(fixture.membership.team).com.example.shared"))
    let recipients = fixture.membership.recipients(of: name, at: Timestamp(microseconds: 2))
    #expect(Set(recipients) == [writer.id, reader.id, admin, .root])
    #expect(!recipients.contains(outsider.id))
  }

  @Test func `A box of the newest generation opens all of them, an older box only the earlier ones`() throws {
    var fixture = SampleMembership()
    let old = try fixture.register("com.example.old", groups: ["com.example.shared"])
    let first = GroupKeys.random(group: fixture.group("com.example.shared"))
    let second = first.later(generation: 2)
    let third = second.later(generation: 3)
    try fixture.append(
      try fixture.groupKey("com.example.shared", keys: first, to: [(old.id, old.keys.publicKeys.box)]))
    try fixture.append(try fixture.renewal("com.example.shared", keys: second, wrapping: first))
    try fixture.append(try fixture.renewal("com.example.shared", keys: third, wrapping: second))
    let new = try fixture.register("com.example.new", groups: ["com.example.shared"])
    func opened(_ who: (keys: PartyKeys, id: AuthorID)) throws -> [UInt32] {
      let group = try #require(fixture.membership.groups[first.group])
      return try group.keys(for: who.id, opening: who.keys.agreement).map(\.generation)
    }
    #expect(try opened(old) == [1])
    #expect(try opened(new) == [])
    let box = AddressedBox(recipient: new.id, box: try new.keys.publicKeys.box.seal(third.secret))
    try fixture.append(.grant(GrantStatement(group: first.group, generation: 3, boxes: [box])))
    #expect(try opened(new) == [1, 2, 3])
    #expect(try opened(old) == [1])
  }

  @Test func `A box with other keys than the log commits to does not open`() throws {
    var fixture = SampleMembership()
    let app = try fixture.register("com.example.one", groups: ["com.example.shared"])
    let keys = GroupKeys.random(group: fixture.group("com.example.shared"))
    let other = GroupKeys.random(group: keys.group)
    try fixture.append(try fixture.groupKey("com.example.shared", keys: keys, to: []))
    let box = AddressedBox(recipient: app.id, box: try app.keys.publicKeys.box.seal(other.secret))
    try fixture.append(.grant(GrantStatement(group: keys.group, generation: 1, boxes: [box])))
    let group = try #require(fixture.membership.groups[keys.group])
    #expect(throws: CryptoError.authenticationFailed) { try group.keys(for: app.id, opening: app.keys.agreement) }
  }

  @Test func `The team identifier is the first ten base32 characters of the genesis' hash`() throws {
    func team(_ bytes: [UInt8]) throws -> String {
      let raw = try #require(Bytes32(bytes + [UInt8](repeating: 0xAA, count: 32 - bytes.count)))
      return TeamID(genesis: EntryHash(raw)).description
    }
    // RFC 4648, section 10: base32 of "foobar" is MZXW6YTBOI======.
    #expect(try team(Array("foobar".utf8) + [0]) == "MZXW6YTBOI")
    #expect(try team([UInt8](repeating: 0, count: 7)) == "AAAAAAAAAA")
    #expect(try team([UInt8](repeating: 0xFF, count: 7)) == "7777777777")
    #expect(try team([0, 0, 0, 0, 0, 0, 0x40]) == "AAAAAAAAAB")
  }

  @Test func `The head phrase is that of the last entry, and changes with each entry`() throws {
    var fixture = SampleMembership()
    let before = fixture.membership.headPhrase
    #expect(before == fixture.membership.head.hash.raw.phrase)
    try fixture.append(fixture.app("com.example.one"))
    #expect(fixture.membership.headPhrase == fixture.membership.head.hash.raw.phrase)
    #expect(fixture.membership.headPhrase != before)
  }
}
