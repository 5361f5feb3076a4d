import CofferCrypto
import CofferFormat
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// A host that can open every box, as one with a computer that breaks X25519 could, and that has no other secret.
@Suite struct MixedKeyTests {
  private let suite: ThreeMachines

  init() throws {
    suite = try ThreeMachines()
    try suite.desktop.set("old", "before")
    try suite.sync(suite.desktop, suite.laptop, suite.third)
  }

  private func root(_ path: String, by file: String) throws -> (keys: PartyKeys, first: TransportKey?) {
    let key = try VaultKey(parsing: SecretText(copying: String(contentsOfFile: file, encoding: .utf8).utf8))
    let slot = try RootSlot(bytes: suite.remote.bytes(of: path), of: suite.laptop.local.membership().genesis)
    return (try slot.open(with: key), try slot.firstKey(openedWith: key))
  }

  @Test func `No box at the host leads to a transport key of a new vault`() throws {
    try suite.revoke()
    let newKey = try suite.rotate()
    try suite.laptop.set("new", "after")
    try suite.sync(suite.laptop, suite.third)
    let later = try #require(suite.remote.files().first { $0.hasPrefix("roots/") })
    let roots = [try root("root", by: suite.key).keys, try root(later, by: newKey).keys]
    let parties = try roots + [suite.laptop, suite.desktop, suite.third].map { try $0.local.deviceFile().keys }
    let known = try suite.laptop.local.deviceFile().transportKeys
    let first = try #require(known.first)
    var opened: [UInt32] = []
    for path in try suite.remote.files() where path.hasPrefix("log/") {
      let envelope = try Envelope(bytes: suite.remote.bytes(of: path))
      for party in parties {
        let boxed = TransportKey(introducedBy: envelope, openedBy: party.agreement, mixing: [])
        #expect(boxed == nil, "\(path)")
        if let mixed = TransportKey(introducedBy: envelope, openedBy: party.agreement, mixing: [first]) {
          #expect(known.contains { $0.commitment == mixed.commitment }, "\(path)")
          opened.append(mixed.generation)
        }
      }
    }
    // The first key has no boxes. Of the later ones, each of root and of the machines that were left has one.
    #expect(Set(opened) == [2, 3])
  }

  @Test func `Each root's slot has the first transport key, and opens it with its own vault key only`() throws {
    let newKey = try suite.rotate()
    try suite.sync(suite.laptop, suite.third)
    let first = try #require(suite.laptop.local.deviceFile().transportKey(1))
    let later = try #require(suite.remote.files().first { $0.hasPrefix("roots/") })
    #expect(try root("root", by: suite.key).first?.commitment == first.commitment)
    #expect(try root(later, by: newKey).first?.commitment == first.commitment)
    let slot = try RootSlot(bytes: suite.remote.bytes(of: later), of: suite.laptop.local.membership().genesis)
    #expect(throws: CryptoError.authenticationFailed) { try slot.firstKey(openedWith: .random()) }
    // With the slot, the new vault key reads the vault from its first entry on.
    #expect(try suite.clone(named: "later", key: newKey).values() == ["old": "before"])
  }

  @Test func `A log that a forger of root's signatures has made is not that of the slot`() throws {
    let genesis = try suite.laptop.local.membership().genesis
    let root = try root("root", by: suite.key).keys
    let forged = TransportKey.random()
    let boxes = [try root.publicKeys.box.seal(forged.key.secret)]
    let entry = LogEntry(
      vault: genesis.vault, after: Membership(genesis: genesis).head, time: .now, signer: .root, key: root.signing,
      statement: .transportKey(
        TransportKeyStatement(generation: 1, commitment: forged.commitment, wrappedPrevious: [], boxes: boxes)))
    let envelope = Envelope(sealing: entry.bytes, as: .logEntry, key: forged.key, generation: 1, boxes: boxes)
    try suite.remote.tamper { tree in
      for name in ["log", "segments"] { try FileManager.default.removeItem(at: tree.appending(path: name)) }
      try FileManager.default.createDirectory(at: tree.appending(path: "log/0"), withIntermediateDirectories: true)
      try Data(envelope.bytes).write(to: tree.appending(path: "log/0/1"))
    }
    try suite.remote.forgetHistory()
    let clone = try Machine().run(
      "coffer", "clone", "--name", "late", "--no-passphrase", "--vault-key-file", suite.key, suite.remote.path)
    #expect(clone.exitCode == 6 && clone.errors.contains("does not begin with the transport key"), "\(clone)")
  }
}
