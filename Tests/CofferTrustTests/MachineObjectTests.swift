import CofferCrypto
import CofferFormat
import CofferTrust
import Testing

/// What each machine may sign with its keys: every kind of object, for every role that a machine has or has had.
@Suite struct MachineObjectTests {
  enum Signer: CaseIterable {
    case admin, member, formerAdmin, headless, expiredHeadless, revokedMember, revokedAdmin, revokedHeadless, stranger
  }

  /// The segment that a revocation names as the last of its stream, and the one after it.
  private static let last = StreamPosition(stream: StreamID(.zero), number: 7, hash: SegmentHash(.zero))
  private static let later = StreamPosition(stream: StreamID(.zero), number: 8, hash: SegmentHash(.zero))
  private static let objects: [(MachineObject, Set<Signer>)] = [
    (.segment(last), [.admin, .member, .formerAdmin, .revokedMember, .revokedAdmin]),
    (.segment(later), [.admin, .member, .formerAdmin]),
    (.claim, [.admin, .member, .formerAdmin]),
    (.closing, [.admin]),
    (.checkpoint, [.admin]),
    (.followedCheckpoint, [.admin, .formerAdmin, .revokedAdmin]),
    (.backup, [.admin, .member, .formerAdmin]),
  ]

  /// Returns a log in which a machine has a role, and its keys.
  private func machine(of signer: Signer) throws -> (membership: Membership, keys: PartyKeys) {
    var vault = try RevocableVault()
    let headless = PartyKeys.random()
    try vault.log.append(
      .device(
        DeviceStatement(
          keys: headless.publicKeys, role: .readOnly(expires: Timestamp(microseconds: 1_000)), name: "ci")))
    let headlessID = DeviceID(vault: vault.log.vault, keys: headless.publicKeys)
    switch signer {
    case .admin: return (vault.membership, vault.log.device)
    case .member: return (vault.membership, vault.memberDevice)
    case .stranger: return (vault.membership, .random())
    case .headless: return (vault.membership, headless)
    case .expiredHeadless:
      try vault.log.append(.withdrawal(WithdrawalStatement(entries: [])), by: .root, time: 2_000)
      return (vault.membership, headless)
    case .formerAdmin:
      try vault.apply(try vault.batch(authors: [.init(author: vault.secondAdminID, groups: nil)]), by: .root)
      return (vault.membership, vault.secondDevice)
    case .revokedMember, .revokedAdmin, .revokedHeadless:
      let id = [.revokedMember: vault.memberID, .revokedAdmin: vault.secondID][signer] ?? headlessID
      let batch = try vault.batch(machines: [id])
      vault.log.membership.add(batch.lists)
      let end = RevocationStatement.Machine(device: id, ends: [Self.last])
      try vault.log.append(.revocation(batch.revocation.with(machines: [end])), by: .root)
      for statement in batch.following { try vault.log.append(statement, by: .root) }
      let keys = [.revokedMember: vault.memberDevice, .revokedAdmin: vault.secondDevice][signer] ?? headless
      return (vault.membership, keys)
    }
  }

  @Test(arguments: Signer.allCases)
  func `A machine signs only what its role allows, and nobody else signs it in its name`(signer: Signer) throws {
    let (membership, keys) = try machine(of: signer)
    let id = DeviceID(vault: membership.vault, keys: keys.publicKeys)
    for (object, signers) in Self.objects {
      #expect(
        (membership.refusal(of: object, by: id) == nil) == signers.contains(signer), "\(object) by the \(signer)")
      let isSigned = membership.counts(object, by: id) { $0 == keys.publicKeys.verifying }
      #expect(isSigned == signers.contains(signer), "\(object) by the \(signer)")
      #expect(!membership.counts(object, by: id) { _ in false }, "\(object) by the \(signer)")
    }
    let claimants: Set<Signer> = [.admin, .member, .formerAdmin, .stranger]
    #expect(membership.mayClaim(id) == claimants.contains(signer))
  }

  @Test func `A closing of this vault, and a checkpoint, counts if the admin's machine that it names has signed it`()
    throws
  {
    let vault = try RevocableVault()
    let membership = vault.membership
    let next = try #require(EpochBranch(epoch: 2, tagged: 1))
    let keys = [vault.log.device, vault.secondDevice, vault.memberDevice, .random()]
    for (index, signer) in keys.enumerated() {
      let device = DeviceID(vault: membership.vault, keys: signer.publicKeys)
      for (other, key) in keys.enumerated() {
        let closing = Closing(
          vault: membership.vault, continuedOn: next, checkpoint: .beforeFirst, device: device, key: key.signing)
        let checkpoint = Checkpoint(
          vault: membership.vault, epoch: 2, after: .beforeFirst, log: membership.head,
          time: Timestamp(microseconds: 3), streams: [], chunks: [], device: device, key: key.signing)
        let counts = index < 2 && index == other
        #expect(((try? membership.verify(closing)) != nil) == counts, "\(index) signed by \(other)")
        #expect(((try? membership.verify(checkpoint)) != nil) == counts, "\(index) signed by \(other)")
      }
    }
    let foreign = Closing(
      vault: .random(), continuedOn: next, checkpoint: .beforeFirst,
      device: DeviceID(vault: membership.vault, keys: vault.log.device.publicKeys), key: vault.log.device.signing)
    #expect(throws: EpochSignatureError.self) { try membership.verify(foreign) }
  }
}
