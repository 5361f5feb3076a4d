import CofferCrypto
import CofferFormat
import CofferTrust
import Testing

/// The entries of the log as a repository shows them: sealed, in any order, beside anything else.
@Suite struct SealedLogTests {
  private let vault: RevocableVault

  init() throws { vault = try RevocableVault() }

  private func file(_ entry: LogEntry) -> [UInt8] {
    Envelope(sealing: entry.bytes, as: .logEntry, key: vault.transport.key, generation: 1).bytes
  }

  private func head(
    of files: [[UInt8]], in log: SampleMembership? = nil, openedBy party: AgreementKey = .random(),
    heldKeys: [TransportKey], root: VerifyingKey? = nil, head: EntryHash? = nil
  ) -> LogPosition {
    let genesis = Membership(genesis: (log ?? vault.log).membership.genesis)
    let sealed = SealedLog(
      of: files.count, openedBy: party, and: heldKeys, following: genesis, root: root, head: head,
      byteLimit: 1 << 20
    ) { files[$0[$0.startIndex]] }
    return sealed.union(following: genesis).chain.head
  }

  @Test func `The whole log is found in files of any order, beside those of another vault and bytes of any kind`()
    throws
  {
    let files = vault.log.entries.map(file)
    let others = try RevocableVault().log.entries.map(file) + [[], [1, 2, 3]]
    let whole = vault.log.membership.head
    for order in [files, files.reversed(), others + files, files.reversed() + others] {
      #expect(head(of: order, heldKeys: [vault.transport]) == whole)
    }
    #expect(head(of: others, heldKeys: [vault.transport]).sequence == 0)
    #expect(head(of: files, heldKeys: [.random()]).sequence == 0)
    #expect(head(of: Array(files.dropLast()), heldKeys: [vault.transport]).sequence == whole.sequence - 1)
  }

  @Test func `Who has the second transport key finds the third, which is boxed for it and mixed with the first`() throws
  {
    let (party, first) = (AgreementKey.random(), TransportKey.random())
    let second = first.next(mixing: first)
    let third = second.key.next(mixing: first)
    var log = SampleMembership()
    var files: [[UInt8]] = []
    for (key, wrapped, boxes) in [
      (first, [], []), (second.key, second.key.wrap(first, in: log.vault), []),
      (third.key, third.key.wrap(second.key, in: log.vault), [try party.publicKey.seal(third.boxed)]),
    ] {
      let statement = TransportKeyStatement(
        generation: key.generation, commitment: key.commitment, wrappedPrevious: wrapped, boxes: boxes)
      let entry = try log.append(.transportKey(statement), by: .root)
      files.append(
        Envelope(
          sealing: entry.bytes, as: .logEntry, key: key.key, generation: key.generation, boxes: boxes
        ).bytes)
    }
    for order in [files, files.reversed()] {
      #expect(head(of: order, in: log, openedBy: party, heldKeys: [second.key]) == log.membership.head)
      #expect(head(of: order, in: log, openedBy: .random(), heldKeys: [second.key]).sequence == 2)
    }
  }

  /// Seals an entry, with a box of the key if there is a party for it.
  private func seal(_ entry: LogEntry, _ key: TransportKey, boxedFor party: BoxKey?) throws -> [UInt8] {
    let boxes = try [party].compactMap(\.self).map { try $0.seal(key.key.secret) }
    return Envelope(
      sealing: entry.bytes, as: .logEntry, key: key.key, generation: key.generation, boxes: boxes
    ).bytes
  }

  /// Seals the entries of a log under its transport keys. A party gets a box of the last one.
  private func files(
    of log: SampleMembership, under keys: [TransportKey], boxedFor party: BoxKey? = nil
  ) throws -> [[UInt8]] {
    var generation = 0
    return try log.entries.map { entry in
      let introducesKey = entry.kind == Statement.Kind.transportKey.rawValue
      if introducesKey { generation += 1 }
      let isBoxed = introducesKey && generation == keys.count
      return try seal(entry, keys[generation - 1], boxedFor: isBoxed ? party : nil)
    }
  }

  /// Returns files of a stranger under a key, each with another key before it: as many as are tried.
  private func inventions(
    under key: TransportKey, in vault: VaultID, boxedFor party: BoxKey? = nil
  ) throws -> [[UInt8]] {
    let stranger = PartyKeys.random()
    return try (0..<64).map { _ in
      let invented = TransportKey(generation: key.generation - 1, key: .random())
      let statement = TransportKeyStatement(
        generation: key.generation, commitment: key.commitment, wrappedPrevious: key.wrap(invented, in: vault),
        boxes: [])
      let entry = LogEntry(
        vault: vault, after: LogPosition(sequence: 1, hash: EntryHash(.zero)), time: Timestamp(microseconds: 2),
        signer: .admin(AuthorID(vault: vault, keys: stranger.publicKeys)), key: stranger.signing,
        statement: .transportKey(statement))
      return try seal(entry, key, boxedFor: party)
    }
  }

  /// Returns the vault with a second transport key, which an admin has introduced whom only an entry under the first
  /// one names.
  private func withSecondKey() throws -> (vault: RevocableVault, keys: [TransportKey]) {
    var vault = vault
    let (first, second) = (vault.transport, vault.transport.next())
    try vault.log.append(
      .transportKey(
        TransportKeyStatement(
          generation: 2, commitment: second.commitment, wrappedPrevious: second.wrap(first, in: vault.log.vault),
          boxes: [])),
      by: vault.secondSigner, key: vault.secondAdmin.signing)
    vault.transport = second
    return (vault, [first, second])
  }

  @Test func `Who knows an entry finds the keys before its own, whatever others under its key wrap`() throws {
    let (known, keys) = try withSecondKey()
    var vault = known
    let second = keys[1]
    let device = DeviceStatement(
      keys: PartyKeys.random().publicKeys, role: .member(delivery: AgreementKey.random().publicKey), name: "invited")
    let invited = try vault.log.append(.device(device), by: vault.secondSigner, key: vault.secondAdmin.signing)
    let files = try files(of: vault.log, under: keys)
    let planted = try inventions(under: second, in: vault.log.vault)
    for order in [planted + files, planted + files.reversed(), files + planted] {
      #expect(head(of: order, in: vault.log, heldKeys: [second], head: invited.hash) == vault.log.membership.head)
    }
  }

  @Test func `The present root finds the keys before its own, whatever others seal to it`() throws {
    var (vault, keys) = try withSecondKey()
    let handover = try vault.handover()
    try vault.apply(handover)
    keys.append(vault.transport)
    let root = handover.root
    let files = try files(of: vault.log, under: keys, boxedFor: root.publicKeys.box)
    // Of a third key, and of the second one, under which the entry that names the present root is sealed.
    let third = TransportKey(generation: 3, key: .random())
    let planted =
      try inventions(under: third, in: vault.log.vault, boxedFor: root.publicKeys.box)
      + inventions(under: keys[1], in: vault.log.vault)
    for order in [planted + files, planted + files.reversed(), files + planted] {
      let found = head(
        of: order, in: vault.log, openedBy: root.agreement, heldKeys: [keys[0]], root: root.publicKeys.verifying)
      #expect(found == vault.log.membership.head)
    }
  }
}
