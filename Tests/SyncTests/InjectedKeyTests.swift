import Coffer
import CofferCrypto
import CofferFormat
import CofferTestSupport
import CofferTrust
import Foundation
import Testing

@Suite("What a host could try to put into the log")
struct InjectedKeyTests {
  @Test(
    "A transport key that nobody entitled signed is not adopted, even sealed to the machine, and nothing is sealed with it"
  )
  func transportKey() throws {
    let suite = try Suite()
    let local = try LocalVault(VaultFolder(suite.laptop.vault))
    let device = try local.deviceFile()
    let membership = try local.membership()
    let admin = try #require(
      membership.authors.values.first { author in
        if case .admin = author.role { true } else { false }
      })
    // The host knows the genesis and, say, the machine's public key; it signs with a key of its own.
    let own = PartyKeys.random()
    let planted = TransportKey(generation: 2, key: .random())
    let entry = LogEntry(
      vault: membership.vault, after: membership.head, time: .now,
      signer: .admin(admin.id), key: own.signing,
      statement: .transportKey(
        TransportKeyStatement(generation: 2, commitment: planted.commitment, wrappedPrevious: [])))
    let envelope = Envelope(
      sealing: entry.bytes, as: .logEntry, key: planted.key, generation: 2,
      boxes: [try device.keys.publicKeys.box.seal(planted.key.secret)])
    try suite.remote.tamper { tree in
      try Data(envelope.bytes).write(to: tree.appending(path: "log/0/\(entry.sequence)"))
    }
    try suite.laptop.set("secret", "value")
    let sync = try suite.laptop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("did not sign it"), "\(sync)")
    #expect(try local.deviceFile().transportKeys.map(\.generation) == [1])
    let segments = try suite.remote.files().filter { $0.hasPrefix("segments/") }
    #expect(!segments.isEmpty)
    for path in segments {
      let file = suite.remote.directory.path("segment")
      try Command.run(
        "sh", "-c", "git -C \"$1\" cat-file blob \"vault-1:$2\" > \"$3\"", "sh", suite.remote.path, path, file)
      let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
      #expect(try Envelope(bytes: bytes).generation == 1)
    }
  }
}
