import Coffer
import CofferAdministration
import CofferCrypto
import CofferFormat
import CofferKeys
import CofferStore
import CofferTestSupport
import Foundation
import Testing

@testable import CofferTrust
@testable import CofferVault

/// Folds of the log in the store: when an app opens a vault with one, and what another program of the same user can do
/// with it.
@Suite struct StoredFoldTests {
  // MARK: Use

  @Test func `A long log is folded once: the next opening reads no entry before the stored fold`() throws {
    let vault = try LongLogVault(entryCount: 255)
    try vault.open()
    #expect(try vault.number("SELECT count(*) FROM fold") == 0)
    try vault.grow(to: 300)
    #expect(vault.value() == "value")
    #expect(try vault.number("SELECT sequence FROM fold") == 256)
    #expect(try vault.usesStoredFold() && vault.opensAsFromGenesis())
    #expect(try vault.usesStoredFold(damaging: 256) && !vault.usesStoredFold(damaging: 257))
    // Without it, the same entry keeps the vault from being opened.
    try vault.tamper("DELETE FROM fold")
    #expect(try !vault.usesStoredFold() && vault.opensAsFromGenesis())
    #expect(try vault.usesStoredFold())
  }

  @Test func `It is replaced after 256 more entries, and later entries are folded after it`() throws {
    let vault = try LongLogVault(entryCount: 300)
    try vault.open()
    let first = try vault.folds()
    try vault.grow(to: 511)
    try vault.open()
    #expect(try vault.folds().objects == first.objects && vault.opensAsFromGenesis())
    try vault.grow(to: 600)
    try vault.open()
    #expect(try vault.number("SELECT sequence FROM fold") == 512 && vault.number("SELECT count(*) FROM fold") == 1)
    #expect(try vault.usesStoredFold(damaging: 400) && vault.opensAsFromGenesis())
    // The earlier one leads to the same result.
    try vault.replaceFolds(by: first)
    #expect(try vault.usesStoredFold() && !vault.usesStoredFold(damaging: 400) && vault.opensAsFromGenesis())
  }

  @Test func `Apps that have verified the same log share one fold, each with its own proof`() throws {
    let vault = try LongLogVault(entryCount: 300, applications: ["com.example.one", "com.example.two"])
    try vault.open()
    #expect(try !vault.usesStoredFold("com.example.two"))
    try vault.open("com.example.two")
    #expect(try vault.usesStoredFold() && vault.usesStoredFold("com.example.two"))
    #expect(try vault.number("SELECT count(*) FROM fold") == 1)
    #expect(try vault.number("SELECT count(*) FROM fold_proof") == 2)
  }

  @Test func `An app does not verify the genesis again that its credential names, and whoever has not seen it does`()
    throws
  {
    let fixture = try TemporaryVault()
    try fixture.app("com.example.one").set("value", for: GenericPassword(service: "s", account: "a"))
    let folder = fixture.local.folder
    try Command.run(
      "sqlite3", folder.storePath,
      "UPDATE vault SET genesis = CAST(substr(genesis, 1, length(genesis) - 64) || zeroblob(64) AS BLOB)")
    let app = try Vault.open(.bytes(TemporaryVault.plist("com.example.one")), at: fixture.location)
    #expect(try app.string(for: GenericPassword(service: "s", account: "a")) == "value")
    #expect(failure { _ = try LocalVault.open(folder) }?.code == .integrity)
    // It is another genesis.
    try Command.run(
      "sqlite3", folder.storePath,
      "UPDATE vault SET genesis = CAST(substr(genesis, 1, 30) || zeroblob(1) || substr(genesis, 32) AS BLOB)")
    #expect(
      code { _ = try Vault.open(.bytes(TemporaryVault.plist("com.example.one")), at: fixture.location) } == .integrity)
  }

  @Test func `A fold ends where no batch is incomplete`() throws {
    let vault = try LongLogVault(entryCount: 255)
    let machine = try #require(
      vault.fixture.local.membership().members.first { $0.name == "machine 200" })
    #expect(try Removal(of: .machines([machine.id]), from: vault.fixture.local).run(as: .admin(.unavailable)) != nil)
    let length = try vault.length
    #expect(length == 257)
    try vault.grow(to: 300)
    try vault.open()
    #expect(try vault.number("SELECT sequence FROM fold") == Int(length))
    #expect(try vault.usesStoredFold() && vault.opensAsFromGenesis())
  }

  @Test func `A store that cannot be written now is read as before`() throws {
    let vault = try LongLogVault(entryCount: 300)
    try vault.whileAnotherProgramWrites { #expect(vault.value() == "value") }
    #expect(try vault.number("SELECT count(*) FROM fold") == 0 && vault.opensAsFromGenesis())
    #expect(try vault.number("SELECT count(*) FROM fold") == 1)
  }

  @Test func `Only published entries are in it once the vault has a remote`() throws {
    let vault = try LongLogVault()
    try vault.fixture.local.store.write { writer in
      try writer.setSetting(.remoteURL, Array("/nowhere".utf8))
      try writer.markLogPublished(writer.logLength(), as: [])
    }
    try vault.grow(to: 300, published: true)
    try vault.grow(to: 600)
    let opened = try vault.open()
    #expect(try opened.local.publishedMembership().head.sequence == 300)
    #expect(try vault.number("SELECT sequence FROM fold") == 256)
    #expect(try vault.usesStoredFold() && vault.opensAsFromGenesis())
    try vault.fixture.local.discardUnpublishedLog()
    #expect(try vault.usesStoredFold() && vault.opensAsFromGenesis())
  }

  @Test func `Folds that no app has used for 2048 entries are deleted`() throws {
    let vault = try LongLogVault()
    let key = try vault.foldKey()
    let authors = (0..<3).map { _ in AuthorID(Bytes16(Random.bytes(count: 16)) ?? .zero) }
    func insert(_ byte: UInt8, _ sequence: UInt64, _ author: AuthorID, since oldest: UInt64) throws {
      let hash = Hash.digest([byte], domain: .fold)
      let proof = FoldProof(author: author, fold: hash, mac: key.proof(of: hash).mac)
      try vault.fixture.local.store.write {
        try $0.insertFold([byte], endingAt: sequence, proof, keepingSince: oldest)
      }
    }
    try insert(1, 256, authors[0], since: 0)
    try insert(1, 256, authors[1], since: 0)
    try insert(2, 512, authors[1], since: 0)
    #expect(try vault.number("SELECT count(*) FROM fold") == 2)
    try insert(2, 512, authors[0], since: 0)
    #expect(try vault.number("SELECT group_concat(sequence) FROM fold") == 512)
    try insert(3, 4_096, authors[2], since: 2_048)
    #expect(try vault.number("SELECT group_concat(sequence) FROM fold") == 4_096)
    #expect(try vault.number("SELECT count(*) FROM fold_proof") == 1)
  }

  // MARK: Attacks

  @Test(arguments: [SeededGenerator.runSeed])
  func `Each changed byte of a proof, and changed bytes of a fold, lead to a fold of the whole log`(seed: UInt64) throws
  {
    var random = SeededGenerator(seed: seed)
    let vault = try LongLogVault(entryCount: 300)
    try vault.open()
    let good = try vault.folds()
    let stored = StoredFold(key: try vault.foldKey())
    let genesis = try vault.fixture.local.membership().genesis
    func isAccepted() throws -> Bool {
      try vault.fixture.local.store.read { stored.membership(of: genesis, in: $0) != nil }
    }
    #expect(try isAccepted())
    for (table, column, step) in [("fold_proof", "mac", 1), ("fold_proof", "fold", 1), ("fold", "object", 499)] {
      let bytes = try vault.blob("SELECT \(column) FROM \(table)")
      for place in stride(from: 0, to: bytes.count, by: step) {
        var bad = bytes
        bad[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        try vault.tamper("UPDATE \(table) SET \(column) = ?", [bad])
        #expect(try !isAccepted(), "\(column) \(place)")
      }
      for bad in [Data(), bytes.dropLast(), bytes + [0]] {
        try vault.tamper("UPDATE \(table) SET \(column) = ?", [bad])
        #expect(try !isAccepted() && !vault.usesStoredFold(), "\(column), \(bad.count) bytes")
      }
      #expect(try vault.opensAsFromGenesis())
      #expect(try vault.folds().proofs == good.proofs && vault.folds().objects == good.objects)
    }
  }

  @Test func `A fold with a forged member is refused, whoever's proof it has`() throws {
    let vault = try LongLogVault(entryCount: 300, applications: ["com.example.one", "com.example.two"])
    try vault.open()
    try vault.open("com.example.two")
    let genuine = try vault.folds()
    let own = try vault.foldKey()
    let neighbour = try vault.foldKey(of: "com.example.two")
    // The neighbour takes one machine out of the fold.
    var forged = try vault.fixture.local.membership()
    forged.devices[try #require(forged.devices.keys.max())] = nil
    let object = try #require(FoldCoder.encode(forged, by: CofferVersion.text))
    let hash = Hash.digest(object, domain: .fold)
    try vault.tamper("UPDATE fold SET object = ?, hash = ?", [Data(object), Data(hash.bytes)])
    let mac = neighbour.proof(of: hash).mac
    try vault.tamper(
      "UPDATE fold_proof SET fold = ?, mac = ?", [Data(hash.bytes), Data(mac.bytes)])
    #expect(try !vault.usesStoredFold() && vault.opensAsFromGenesis())
    // The object alone, under the hash of the true one.
    try vault.replaceFolds(by: genuine)
    try vault.tamper("UPDATE fold SET object = ?", [Data(object)])
    #expect(try !vault.usesStoredFold() && vault.opensAsFromGenesis())
    #expect(try vault.folds() == genuine)
    // The author's own key would prove it.
    try vault.tamper("UPDATE fold SET object = ?, hash = ?", [Data(object), Data(hash.bytes)])
    try vault.tamper(
      "UPDATE fold_proof SET fold = ?, mac = ?", [Data(hash.bytes), Data(own.proof(of: hash).mac.bytes)])
    #expect(try vault.usesStoredFold())
  }

  @Test func `Another author's proof is refused`() throws {
    let vault = try LongLogVault(entryCount: 300, applications: ["com.example.one", "com.example.two"])
    try vault.open("com.example.two")
    try vault.tamper("UPDATE fold_proof SET author = ?", [Data(vault.foldKey().author.raw.bytes)])
    #expect(try !vault.usesStoredFold() && vault.opensAsFromGenesis())
  }

  @Test func `A fold of another vault is refused`() throws {
    let vault = try LongLogVault(entryCount: 300)
    let other = try LongLogVault(entryCount: 300)
    try other.open()
    try vault.replaceFolds(by: other.folds())
    try vault.tamper("UPDATE fold_proof SET author = ?", [Data(vault.foldKey().author.raw.bytes)])
    #expect(try !vault.usesStoredFold() && vault.opensAsFromGenesis())
    // With a proof of this author too: the genesis is another one.
    try vault.replaceFolds(by: other.folds())
    let key = try vault.foldKey()
    let hash = try #require(Bytes32(Array(vault.blob("SELECT hash FROM fold"))))
    try vault.tamper(
      "UPDATE fold_proof SET author = ?, mac = ?",
      [Data(key.author.raw.bytes), Data(key.proof(of: hash).mac.bytes)])
    #expect(try !vault.usesStoredFold() && vault.opensAsFromGenesis())
  }

  @Test func `A fold that is larger than the limit is not read`() throws {
    let vault = try LongLogVault(entryCount: 300)
    try vault.open()
    let hash = try vault.blob("SELECT hash FROM fold")
    try vault.tamper("UPDATE fold SET object = zeroblob(?)", [Limits.foldByteCount + 1])
    let found = try vault.fixture.local.store.read { try $0.fold(#require(Bytes32(Array(hash)))) }
    #expect(found == nil)
    #expect(try !vault.usesStoredFold() && vault.opensAsFromGenesis())
    #expect(try vault.usesStoredFold())
  }

  @Test func `An older store is refused as before, although its fold is genuine`() throws {
    let vault = try LongLogVault(entryCount: 300)
    try vault.open()
    try vault.grow(to: 320)
    try vault.open()
    #expect(try vault.usesStoredFold())
    try vault.truncate(after: 300)
    let withFold = failure { try vault.open() }
    try vault.tamper("DELETE FROM fold")
    let without = failure { try vault.open() }
    #expect(withFold?.code == .integrity && withFold?.message == without?.message)
    #expect(withFold?.message.contains("has seen entry 320") == true)
  }

  /// The app has verified a branch up to a fold, and then, with its folder restored, another branch.
  @Test func `A fold of a branch that the app does not follow is refused`() throws {
    let vault = try LongLogVault(entryCount: 100)
    try vault.open()
    let file = try vault.credentialFile
    let shared = try Data(contentsOf: file)
    try vault.grow(to: 300)
    try vault.open()
    let folds = try vault.folds()
    let branch = try vault.fixture.local.store.read { try $0.logEntries(after: 100) }
    // The other branch, of which the app has seen entry 120.
    try vault.truncate(after: 100)
    try shared.write(to: file)
    try vault.replaceFolds(by: LongLogVault.Folds())
    try vault.grow(to: 120)
    try vault.open()
    let credential = try Data(contentsOf: file)
    let seen = try #require(vault.fixture.local.store.read { try $0.logEntry(120) })
    // The end of the fold is no entry of this branch.
    try vault.grow(to: 300)
    try vault.replaceFolds(by: folds)
    #expect(try !vault.usesStoredFold())
    #expect(try vault.opensAsFromGenesis())
    #expect(try vault.folds() != folds && vault.usesStoredFold())
    // A store made of both has the entry that the app has seen, and the end of the fold.
    try credential.write(to: file)
    try vault.truncate(after: 100)
    try vault.fixture.local.store.write { writer in
      for entry in branch {
        try writer.appendLogEntry(
          sequence: entry.sequence, entry: entry.sequence == 120 ? seen.entry : entry.entry, envelope: [],
          published: nil)
      }
    }
    try vault.replaceFolds(by: folds)
    let withFold = failure { try vault.open() }
    try vault.tamper("DELETE FROM fold")
    #expect(withFold?.code == .integrity && withFold?.message == failure { try vault.open() }?.message)
  }

  @Test func `With an entry of another branch the whole log is folded, and no fold is stored`() throws {
    let vault = try LongLogVault(entryCount: 300)
    try vault.open()
    #expect(try vault.usesStoredFold())
    let admin = try vault.fixture.local.folder.adminFile.read { try AdminFile(secretBytes: $0).open(passphrase: nil) }
    let parent = try #require(vault.fixture.local.store.read { try $0.logEntry(290) })
    let membership = try vault.fixture.local.membership()
    let competing = LogEntry(
      vault: membership.vault, after: try LogEntry(bytes: parent.entry).position, time: .now,
      signer: .admin(AuthorID(vault: membership.vault, keys: admin.publicKeys)), key: admin.signing,
      statement: .device(
        DeviceStatement(
          keys: PartyKeys.random().publicKeys, role: .member(delivery: AgreementKey.random().publicKey), name: "rival"))
    )
    try vault.fixture.local.store.write {
      try $0.insertCompetingEntry(competing.hash, sequence: competing.sequence, entry: competing.bytes, envelope: [])
    }
    #expect(try !vault.usesStoredFold() && vault.opensAsFromGenesis())
    #expect(try vault.open().local.fork()?.parent.sequence == 290)
    try vault.tamper("DELETE FROM fold")
    try vault.open()
    #expect(try vault.number("SELECT count(*) FROM fold") == 0)
  }

  @Test func `An open vault refuses entries that were exchanged before its fold when another branch turns up`() throws {
    let vault = try LongLogVault(entryCount: 300)
    try vault.open()
    let opened = try vault.open()
    // Another program forges an early entry, which nothing has read, and adds one of another branch.
    let first = try vault.blob("SELECT entry FROM log WHERE sequence = 50")
    try vault.forge(from: 50, through: 50)
    #expect(try opened.string(for: LongLogVault.item) == "value")
    try vault.fixture.local.store.write {
      try $0.insertCompetingEntry(EntryHash(.zero), sequence: 60, entry: Array(first), envelope: [])
    }
    #expect(code { _ = try opened.string(for: LongLogVault.item) } == .integrity)
  }

  @Test func `Lists of records are read each time, and what precedes a missing one must lead to the verified log`()
    throws
  {
    let vault = try LongLogVault(entryCount: 200, applications: [LongLogVault.application, "com.example.two"])
    let local = vault.fixture.local
    try vault.open()
    let credential = try Data(contentsOf: vault.credentialFile)
    let two = try local.application(named: "com.example.two")
    #expect(try Removal(of: .app(two, on: nil), from: local).run(as: .admin(.unavailable)) != nil)
    let revocation = try #require(local.membership().revocations.last)
    let list = try #require(revocation.statement.recordLists.first)
    try vault.grow(to: 300)
    #expect(try vault.membership(of: vault.open()).lists == [list] && vault.usesStoredFold())
    let row = try vault.blob("SELECT bytes FROM object WHERE kind = 'record_list'")
    // The app has not seen the revocation, which has no effect without its list.
    try credential.write(to: vault.credentialFile)
    try vault.tamper("DELETE FROM object WHERE kind = 'record_list'")
    #expect(try vault.opensAsFromGenesis())
    #expect(try vault.open().local.publishedMembership().head.sequence == revocation.position.sequence - 1)
    let entries = try local.store.read { try $0.logEntries(after: 0) }
    try vault.forge(from: 50, through: revocation.position.sequence - 1)
    #expect(try vault.blob("SELECT entry FROM log WHERE sequence = 100") != Data(entries[99].entry))
    #expect(failure { try vault.open() }?.code == .integrity)
    for entry in entries {
      try vault.tamper("UPDATE log SET entry = ? WHERE sequence = ?", [Data(entry.entry), Int64(entry.sequence)])
    }
    try vault.tamper("INSERT INTO object VALUES ('record_list', ?, NULL, ?)", [Data(list.bytes), row])
    #expect(try vault.opensAsFromGenesis() && vault.membership(of: vault.open()).lists == [list])
  }
}
