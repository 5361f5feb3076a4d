import Coffer
import CofferCrypto
import CofferFormat
import CofferKeys
import CofferStore
import CofferTrust
import CofferVault
import Foundation
import GRDB
import Testing

@testable import CofferVault

/// A vault with an app and a long membership log, whose store file tests can change as another program could.
final class LongLogVault {
  /// Rows of the store with the folds, as a program would copy them.
  struct Folds: Equatable {
    var objects: [[DatabaseValue]] = []
    var proofs: [[DatabaseValue]] = []
  }

  static let application = "com.example.one"
  static let item = GenericPassword(service: "s", account: "a")

  let fixture: TemporaryVault
  let database: DatabaseQueue

  /// Creates the vault. Its app has seen all entries and no fold is stored.
  init(entryCount: UInt64 = 20, applications: [String] = [application]) throws {
    fixture = try TemporaryVault()
    for application in applications { try fixture.app(application).set("value", for: Self.item) }
    database = try DatabaseQueue(path: fixture.local.folder.storePath)
    try grow(to: entryCount)
  }

  var length: UInt64 { get throws { try fixture.local.store.read { try $0.logLength() } } }

  /// Appends entries until the log has so many. Nothing else changes.
  func grow(to count: UInt64, published: Bool = false) throws {
    let admin = try fixture.local.folder.adminFile.read { try AdminFile(secretBytes: $0).open(passphrase: nil) }
    var membership = try fixture.local.store.read { try fixture.local.branches(in: $0).chain }
    let signer = LogEntry.Signer.admin(AuthorID(vault: membership.vault, keys: admin.publicKeys))
    try fixture.local.store.write { writer in
      while membership.head.sequence < count {
        let device = DeviceStatement(
          keys: PartyKeys.random().publicKeys, role: .member(delivery: AgreementKey.random().publicKey),
          name: "machine \(membership.head.sequence)")
        let entry = LogEntry(
          vault: membership.vault, after: membership.head, time: .now, signer: signer, key: admin.signing,
          statement: .device(device))
        try membership.apply(entry, isVerified: true)
        try writer.appendLogEntry(
          sequence: entry.sequence, entry: entry.bytes, envelope: [], published: published ? [] : nil)
      }
    }
  }

  /// Deletes the entries after a number, as an older copy of the store lacks them.
  func truncate(after sequence: UInt64) throws { try tamper("DELETE FROM log WHERE sequence > ?", [Int64(sequence)]) }

  /// The app's credential, which can be written again to make the app forget what it has seen since.
  var credentialFile: URL {
    get throws {
      let application = try fixture.local.application(named: Self.application)
      return URL(fileURLWithPath: fixture.local.folder.credentialFile(of: application).path)
    }
  }

  /// Opens the vault as the app, as another process would.
  @discardableResult
  func open(_ application: String = application) throws -> Vault {
    try Vault.open(.bytes(TemporaryVault.plist(application)), at: fixture.location)
  }

  /// Opens the vault as the app and reads its item.
  func value(_ application: String = application) -> String? {
    try? open(application).string(for: Self.item)
  }

  /// The membership that the app uses: everything that a fold holds, and the lists of records.
  func membership(of vault: Vault) throws -> (fold: [UInt8]?, lists: Set<Bytes32>) {
    let membership = try vault.local.publishedMembership()
    return (FoldCoder.encode(membership, by: ""), Set(membership.recordLists.keys))
  }

  /// Whether the app's membership is that of a fold from the genesis, each signature verified.
  func opensAsFromGenesis() throws -> Bool {
    let opened = try membership(of: open()).fold
    let whole = try FoldCoder.encode(LocalVault.open(fixture.local.folder).publishedMembership(), by: "")
    return opened == whole && opened != nil
  }

  /// Whether the app opens the vault with a stored fold: it does not read the first entries then. The store is
  /// afterwards as it was.
  func usesStoredFold(_ application: String = application, damaging sequence: UInt64 = 3) throws -> Bool {
    let entry = try #require(fixture.local.store.read { try $0.logEntry(sequence) })
    let folds = try folds()
    try tamper("UPDATE log SET entry = x'00' WHERE sequence = ?", [Int64(sequence)])
    let isUsed = value(application) == "value"
    try tamper("UPDATE log SET entry = ? WHERE sequence = ?", [Data(entry.entry), Int64(sequence)])
    try replaceFolds(by: folds)
    return isUsed
  }

  /// Replaces entries by a chain of forged ones, which nobody has signed: the first has another public key of its
  /// machine.
  func forge(from first: UInt64, through last: UInt64) throws {
    var previous: EntryHash?
    for stored in try fixture.local.store.read({ try $0.logEntries(after: first - 1) }) where stored.sequence <= last {
      var bytes = stored.entry
      if let previous {
        // The kind, the vault and the number precede the hash of the entry before it.
        bytes.replaceSubrange(29..<61, with: previous.raw.bytes)
      } else {
        bytes[bytes.count - 100] ^= 1
      }
      previous = try LogEntry(bytes: bytes).hash
      try tamper("UPDATE log SET entry = ? WHERE sequence = ?", [Data(bytes), Int64(stored.sequence)])
    }
  }

  func tamper(_ sql: String, _ arguments: [any DatabaseValueConvertible] = []) throws {
    try database.write { try $0.execute(sql: sql, arguments: StatementArguments(arguments)) }
  }

  /// Runs `body` while another program has the lock of the store.
  func whileAnotherProgramWrites(_ body: () throws -> Void) throws {
    try database.writeWithoutTransaction { database in
      try database.execute(sql: "BEGIN IMMEDIATE")
      try body()
      try database.execute(sql: "ROLLBACK")
    }
  }

  func number(_ sql: String) throws -> Int { try database.read { try Int.fetchOne($0, sql: sql) } ?? 0 }

  func blob(_ sql: String) throws -> Data { try database.read { try Data.fetchOne($0, sql: sql) } ?? Data() }

  func folds() throws -> Folds {
    func rows(_ sql: String, _ database: Database) throws -> [[DatabaseValue]] {
      try Row.fetchAll(database, sql: sql).map { Array($0.databaseValues) }
    }
    return try database.read {
      try Folds(
        objects: rows("SELECT hash, sequence, object FROM fold ORDER BY hash", $0),
        proofs: rows("SELECT author, fold, mac FROM fold_proof ORDER BY author", $0))
    }
  }

  func replaceFolds(by folds: Folds) throws {
    try database.write { database in
      try database.execute(sql: "DELETE FROM fold; DELETE FROM fold_proof")
      for row in folds.objects {
        try database.execute(sql: "INSERT INTO fold VALUES (?, ?, ?)", arguments: StatementArguments(row))
      }
      for row in folds.proofs {
        try database.execute(sql: "INSERT INTO fold_proof VALUES (?, ?, ?)", arguments: StatementArguments(row))
      }
    }
  }

  /// The app's keys, as the app itself has them.
  func foldKey(of application: String = application) throws -> FoldKey {
    let keys = try fixture.keys(of: application)
    let membership = try fixture.local.membership()
    return FoldKey(
      author: AuthorID(vault: membership.vault, keys: keys.publicKeys), keys: keys, genesis: membership.genesis.hash)
  }
}
