import CofferCrypto
import CofferFormat
import CofferKeys
import CofferTrust
import Testing

/// Later generations of a group's key.
@Suite struct KeyRenewalTests {
  private let vault: RevocableVault

  init() throws { vault = try RevocableVault() }

  private func refusal(_ statement: GroupKeyRenewalStatement, in vault: RevocableVault? = nil) -> TrustError.Code? {
    let vault = vault ?? self.vault
    return CofferTrustTests.refusal(of: vault.log.entry(.groupKeyRenewal(statement)), by: vault.membership)
  }

  private func next(_ group: GroupID, _ generation: UInt32 = 2) throws -> GroupKeys {
    try #require(vault.groupKeys[group]).later(generation: generation)
  }

  /// Returns the generations that an author can open.
  private func opened(_ principal: RevocableVault.Principal, in vault: RevocableVault) throws -> [UInt32] {
    try #require(vault.membership.groups[vault.shared])
      .keys(for: principal.id, opening: principal.keys.agreement).map(\.generation)
  }

  @Test func `A renewal is the next generation of a group that exists`() throws {
    let valid = try vault.renewal(of: vault.shared, to: next(vault.shared))
    #expect(refusal(valid) == nil)
    #expect(refusal(try vault.renewal(of: vault.shared, to: next(vault.shared, 3))) == .contradiction)
    let elsewhere = GroupKeyRenewalStatement(
      group: vault.log.group("com.example.none"), generation: 2, commitment: valid.commitment, wrappedGeneration: 1,
      wrapped: valid.wrapped, boxes: valid.boxes)
    #expect(refusal(elsewhere) == .contradiction)
    var after = vault
    try after.log.append(.groupKeyRenewal(valid))
    #expect(refusal(valid, in: after) == .contradiction)
    let generation = try #require(after.membership.groups[vault.shared]?.generations.last)
    #expect(generation.number == 2 && generation.wrappedGeneration == 1 && generation.boxes.count == 9)
  }

  @Test func `A renewal leaves out no reader, and is sealed to nobody else`() throws {
    let keys = try next(vault.shared)
    let valid = try vault.renewal(of: vault.shared, to: keys)
    #expect(Set(valid.boxes.map(\.recipient)).isSuperset(of: [.root, vault.adminID, vault.secondAdminID]))
    for box in valid.boxes {
      #expect(refusal(try vault.renewal(of: vault.shared, to: keys, without: box.recipient)) == .contradiction)
    }
    func renewal(adding id: AuthorID, without left: AuthorID?) throws -> GroupKeyRenewalStatement {
      let other = try vault.renewal(of: vault.shared, to: keys, without: left)
      let box = AddressedBox(recipient: id, box: [UInt8](repeating: 0, count: AddressedBox.boxByteCount))
      return GroupKeyRenewalStatement(
        group: other.group, generation: 2, commitment: other.commitment, wrappedGeneration: 1,
        wrapped: other.wrapped, boxes: other.boxes + [box])
    }
    let stranger = AuthorID(vault: vault.log.vault, keys: PartyKeys.random().publicKeys)
    for left in [nil, vault.writers[0].id] {
      #expect(refusal(try renewal(adding: stranger, without: left)) == .notAuthorised)
    }
    // An app that does not read the group.
    var drafts = vault
    let own = try drafts.renewal(of: drafts.drafts, to: next(drafts.drafts))
    let box = AddressedBox(
      recipient: vault.readers[0].id, box: [UInt8](repeating: 0, count: AddressedBox.boxByteCount))
    let more = GroupKeyRenewalStatement(
      group: own.group, generation: 2, commitment: own.commitment, wrappedGeneration: 1, wrapped: own.wrapped,
      boxes: own.boxes + [box])
    #expect(refusal(own) == nil && refusal(more) == .notAuthorised)
    // Somebody who was removed is neither needed nor allowed.
    let cut = RevocationStatement.CutAuthor(author: vault.writers[0].id, groups: nil)
    try drafts.apply(try drafts.batch(authors: [cut]))
    let third = try #require(drafts.groupKeys[vault.shared]).later(generation: 3)
    let after = try drafts.renewal(of: vault.shared, to: third)
    #expect(after.boxes.count == 8 && refusal(after, in: drafts) == nil)
    let withCut = GroupKeyRenewalStatement(
      group: after.group, generation: 3, commitment: after.commitment, wrappedGeneration: 2, wrapped: after.wrapped,
      boxes: after.boxes
        + [AddressedBox(recipient: vault.writers[0].id, box: [UInt8](repeating: 0, count: AddressedBox.boxByteCount))])
    #expect(refusal(withCut, in: drafts) == .notAuthorised)
    let grant = GrantStatement(
      group: after.group, generation: 2,
      boxes: [
        try #require(
          withCut.boxes.first {
            $0.recipient == vault.writers[0].id
          })
      ])
    #expect(
      CofferTrustTests.refusal(of: drafts.log.entry(.grant(grant)), by: drafts.membership) == .notAuthorised)
  }

  @Test func `With more readers than boxes, root is among those who get one`() throws {
    var vault = vault
    let registration = try #require(
      vault.membership.apps.values.first { $0.statement.bundleID == RevocableVault.writer }
    ).registration
    // Only the entries count here, so the public keys need no secret ones.
    for number in 0..<GroupKeyRenewalStatement.boxCapacity {
      let raw = Hash.digest([UInt8(number >> 8), UInt8(number & 255)], domain: .item)
      let keys = PartyPublicKeys(verifying: VerifyingKey(raw), box: BoxKey(raw))
      let entry = vault.log.entry(
        .principal(PrincipalStatement(app: registration, device: vault.memberID, keys: keys)))
      try vault.log.membership.apply(entry, isVerified: true)
    }
    let name = try #require(vault.membership.groups[vault.shared]).name
    let recipients = vault.membership.recipients(of: name, at: Timestamp(microseconds: 2))
    #expect(recipients.count == GroupKeyRenewalStatement.boxCapacity + 9)
    let keys = try next(vault.shared)
    func renewal(_ recipients: some Sequence<AuthorID>) throws -> GroupKeyRenewalStatement {
      GroupKeyRenewalStatement(
        group: vault.shared, generation: 2, commitment: keys.commitment, wrappedGeneration: 1,
        wrapped: keys.wrap(try #require(vault.groupKeys[vault.shared])),
        boxes: recipients.map {
          AddressedBox(recipient: $0, box: [UInt8](repeating: 1, count: AddressedBox.boxByteCount))
        })
    }
    let capacity = GroupKeyRenewalStatement.boxCapacity
    #expect(refusal(try renewal(recipients.prefix(capacity)), in: vault) == nil)
    #expect(refusal(try renewal(recipients.dropFirst().prefix(capacity)), in: vault) == .contradiction)
    #expect(refusal(try renewal(recipients.prefix(capacity - 1)), in: vault) == .contradiction)
    #expect(refusal(try renewal(recipients.prefix(capacity + 1)), in: vault) == .contradiction)
  }

  @Test func `The next generation passes over one whose boxes are worthless, and keeps the earlier ones readable`()
    throws
  {
    var vault = vault
    let first = try #require(vault.groupKeys[vault.shared])
    // An admin signs boxes that contain other keys than the statement commits to.
    let garbage = first.later(generation: 2)
    let valid = try vault.renewal(of: vault.shared, to: garbage)
    let worthless = try valid.boxes.map { box in
      AddressedBox(
        recipient: box.recipient,
        box: try PartyKeys.random().publicKeys.box.seal(GroupKeys.random(group: vault.shared).secret))
    }
    let wrong = GroupKeyRenewalStatement(
      group: valid.group, generation: 2, commitment: valid.commitment, wrappedGeneration: 1, wrapped: valid.wrapped,
      boxes: worthless)
    try vault.log.append(.groupKeyRenewal(wrong), by: vault.secondSigner, key: vault.secondAdmin.signing)
    for principal in vault.writers + vault.readers { #expect(try opened(principal, in: vault) == [1]) }
    let third = first.later(generation: 3)
    try vault.log.append(.groupKeyRenewal(try vault.renewal(of: vault.shared, to: third, wrapping: first)))
    for principal in vault.writers + vault.readers { #expect(try opened(principal, in: vault) == [1, 3]) }
    // A reader who came later and has a box of the newest generation only.
    let registration = try #require(
      vault.membership.apps.values.first { $0.statement.bundleID == RevocableVault.reader }
    ).registration
    let late = try vault.addPrincipal(of: registration, on: vault.memberID)
    let box = AddressedBox(recipient: late.id, box: try late.keys.publicKeys.box.seal(third.secret))
    try vault.log.append(.grant(GrantStatement(group: vault.shared, generation: 3, boxes: [box])))
    #expect(try opened(late, in: vault) == [1, 3])
  }

  @Test func `Worthless wrapped keys cut nobody off whose own box opens the earlier generation`() throws {
    var vault = vault
    let first = try #require(vault.groupKeys[vault.shared])
    let second = first.later(generation: 2)
    let valid = try vault.renewal(of: vault.shared, to: second)
    let wrong = GroupKeyRenewalStatement(
      group: valid.group, generation: 2, commitment: valid.commitment, wrappedGeneration: 1,
      wrapped: [UInt8](repeating: 7, count: valid.wrapped.count), boxes: valid.boxes)
    try vault.log.append(.groupKeyRenewal(wrong))
    for principal in vault.writers { #expect(try opened(principal, in: vault) == [1, 2]) }
    // Wrapped keys that open, but are not those of the log.
    let other = GroupKeys.random(group: vault.shared)
    let third = second.later(generation: 3)
    try vault.log.append(.groupKeyRenewal(try vault.renewal(of: vault.shared, to: third, wrapping: other)))
    for principal in vault.writers { #expect(try opened(principal, in: vault) == [1, 2, 3]) }
    let registration = try #require(
      vault.membership.apps.values.first { $0.statement.bundleID == RevocableVault.reader }
    ).registration
    let late = try vault.addPrincipal(of: registration, on: vault.memberID)
    let box = AddressedBox(recipient: late.id, box: try late.keys.publicKeys.box.seal(third.secret))
    try vault.log.append(.grant(GrantStatement(group: vault.shared, generation: 3, boxes: [box])))
    #expect(try opened(late, in: vault) == [3])
  }

  @Test func `What was removed opens nothing that is newer than its revocation`() throws {
    var vault = vault
    let cut = RevocationStatement.CutAuthor(author: vault.writers[0].id, groups: nil)
    try vault.apply(try vault.batch(authors: [cut]))
    #expect(try opened(vault.writers[0], in: vault) == [1])
    #expect(try opened(vault.writers[1], in: vault) == [1, 2])
    let copied = try #require(vault.membership.groups[vault.shared]?.generations.last)
    #expect(copied.boxes.all.map(\.box).allSatisfy { (try? vault.writers[0].keys.agreement.open($0)) == nil })
  }
}
