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
    heldKeys: [TransportKey]
  ) -> LogPosition {
    let genesis = Membership(genesis: (log ?? vault.log).membership.genesis)
    let sealed = SealedLog(
      of: files.count, openedBy: party, and: heldKeys, following: genesis, byteLimit: 1 << 20
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
}
