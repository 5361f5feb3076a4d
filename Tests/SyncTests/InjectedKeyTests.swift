import Coffer
import CofferVault
import CofferCrypto
import CofferFormat
import CofferKeys
import CofferTestSupport
import CofferTrust
import Foundation
import Testing

@Suite struct InjectedKeyTests {
  @Test func `A transport key that no entitled member signed is not adopted or used`() throws {
    let suite = try TwoMachines()
    let local = try LocalVault.open(VaultFolder(suite.laptop.vault))
    let device = try local.deviceFile()
    let membership = try local.membership()
    let admin = try #require(
      membership.authors.values.first { author in
        if case .admin = author.role { true } else { false }
      })
    // The host knows the genesis and possibly the machine's public key, and signs with a key that it made.
    let own = PartyKeys.random()
    let planted = TransportKey(generation: 2, key: .random())
    let boxes = [try device.keys.publicKeys.box.seal(planted.key.secret)]
    let entry = LogEntry(
      vault: membership.vault, after: membership.head, time: .now,
      signer: .admin(admin.id), key: own.signing,
      statement: .transportKey(
        TransportKeyStatement(generation: 2, commitment: planted.commitment, wrappedPrevious: [], boxes: boxes)))
    let envelope = Envelope(
      sealing: entry.bytes, as: .logEntry, key: planted.key, generation: 2, boxes: boxes)
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

  /// Returns the next generation of the transport key, signed by the admin of `machine`; `generation` is the one that
  /// the envelope states.
  private func nextKey(
    from machine: Machine, for machines: [Machine], generation: UInt32 = 2, wrapping: Bool = true
  ) throws -> (sequence: UInt64, envelope: Envelope) {
    let local = try LocalVault.open(VaultFolder(machine.vault))
    let membership = try local.membership()
    let admin = try local.folder.adminFile.read { try AdminFile(secretBytes: $0).open(passphrase: nil) }
    let key = TransportKey(generation: generation, key: .random())
    let first = try #require(local.deviceFile().transportKey(1))
    let boxes = try machines.map { machine in
      try LocalVault.open(VaultFolder(machine.vault)).deviceFile().keys.publicKeys.box.seal(key.key.secret)
    }
    let entry = LogEntry(
      vault: membership.vault, after: membership.head, time: .now,
      signer: .admin(AuthorID(vault: membership.vault, keys: admin.publicKeys)), key: admin.signing,
      statement: .transportKey(
        TransportKeyStatement(
          generation: 2, commitment: key.commitment,
          wrappedPrevious: wrapping ? key.wrap(first, in: membership.vault) : [], boxes: boxes)))
    let envelope = Envelope(
      sealing: entry.bytes, as: .logEntry, key: key.key, generation: generation, boxes: boxes)
    return (entry.sequence, envelope)
  }

  private func put(_ key: (sequence: UInt64, envelope: Envelope), on remote: TemporaryRemote) throws {
    try remote.tamper { tree in
      try Data(key.envelope.bytes).write(to: tree.appending(path: "log/0/\(key.sequence)"))
    }
  }

  @Test func `A transport key whose envelope and statement differ in the generation is not adopted`() throws {
    let suite = try TwoMachines()
    try suite.desktop.sync()
    try put(nextKey(from: suite.laptop, for: [suite.laptop, suite.desktop], generation: 7), on: suite.remote)
    let sync = try suite.desktop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("generation"), "\(sync)")
    let device = try LocalVault.open(VaultFolder(suite.desktop.vault)).deviceFile()
    #expect(device.transportKeys.map(\.generation) == [1])
  }

  @Test func `A transport key that does not wrap the one before is refused: a later root could open nothing older`()
    throws
  {
    let suite = try TwoMachines()
    try suite.desktop.sync()
    try put(nextKey(from: suite.laptop, for: [suite.laptop, suite.desktop], wrapping: false), on: suite.remote)
    let sync = try suite.desktop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("does not wrap the one before"), "\(sync)")
    #expect(try suite.desktop.local.deviceFile().transportKeys.map(\.generation) == [1])
    #expect(try suite.desktop.addApp("later").exitCode == 0)
    try suite.laptop.sync()
    #expect(try suite.laptop.status("headPhrase") == suite.desktop.status("headPhrase"))
  }

  @Test func `The transport key of a push that lost its race opens the objects of the next attempt`() throws {
    let suite = try TwoMachines()
    for machine in [suite.laptop, suite.desktop] { try machine.sync() }
    try put(nextKey(from: suite.laptop, for: [suite.laptop, suite.desktop]), on: suite.remote)
    let withKey = suite.remote.tip
    try suite.desktop.sync()
    try suite.desktop.set("desktop", "sealed under the new key")
    try suite.desktop.sync()
    let withSegment = suite.remote.tip
    try suite.remote.serve(withKey)
    // Another machine's push arrives while the laptop is pushing.
    try suite.remote.setPushHook(
      """
      [ -e raced ] && exit 0
      touch raced
      unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES
      git update-ref refs/heads/vault-1 \(withSegment)
      exit 1
      """)
    try suite.laptop.set("laptop", "1")
    let sync = try suite.laptop.run("coffer", "sync")
    #expect(sync.exitCode == 0, "\(sync)")
    #expect(FileManager.default.fileExists(atPath: suite.remote.path + "/raced"))
    #expect(try suite.laptop.get("desktop") == "sealed under the new key")
    let device = try LocalVault.open(VaultFolder(suite.laptop.vault)).deviceFile()
    #expect(device.transportKeys.map(\.generation) == [1, 2])
  }
}
