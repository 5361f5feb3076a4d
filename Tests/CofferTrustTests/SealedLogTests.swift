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

  private func head(of files: [[UInt8]], heldKeys: [TransportKey]) -> LogPosition {
    let genesis = Membership(genesis: vault.log.membership.genesis)
    let sealed = SealedLog(
      of: files.count, openedBy: .random(), and: heldKeys, following: genesis, byteLimit: 1 << 20
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
}
