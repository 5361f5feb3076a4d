import Coffer
import CofferTestSupport
import Foundation
import Testing

/// Another program of the same user adds rows or changes their columns. It can do so with `sqlite3` and without keys.
@Suite struct InsertedRowTests {
  private let tampered: TamperedVault
  private let one = GenericPassword(service: "s", account: "one", label: "label one")
  private let two = GenericPassword(service: "s", account: "two", label: "label two")
  private let label = ItemQuery<GenericPassword>().matching(.label, "label one")

  /// Rows 1 and 2 are versions of `one`, row 3 is `two`.
  init() throws {
    tampered = try TamperedVault(hasSecondGroup: true)
    try tampered.vault.set("first of one", for: one)
    try tampered.vault.set("value of one", for: one)
    try tampered.vault.set("value of two", for: two)
  }

  private func read(_ item: GenericPassword, in group: String? = nil) -> ReadOutcome {
    ReadOutcome { try tampered.vault.string(for: item, in: group) }
  }

  /// Inserts a copy of a row with some columns replaced, under another hash.
  private func plant(copyOf row: Int, _ replaced: [String: String]) throws {
    let columns = [
      "group_id", "item", "class", "tombstone", "time", "author", "head", "standing", "created", "arrival", "bases",
      "tokens", "signed", "attributes", "value",
    ]
    let values = columns.map { replaced[$0] ?? $0 }.joined(separator: ", ")
    try tampered.tamper(
      """
      INSERT INTO record (hash, \(columns.joined(separator: ", ")))
      SELECT \(replaced["hash"] ?? "randomblob(32)"), \(values) FROM record WHERE id = \(row)
      """)
  }

  private func expectUnharmed(_ what: Comment) throws {
    for vault in [tampered.vault, try tampered.reopened()] {
      #expect(ReadOutcome { try vault.string(for: one) } == .value("value of one"), what)
      #expect(ReadOutcome { try vault.string(for: two) } == .value("value of two"), what)
      let list = try vault.list(GenericPassword.self)
      #expect(list.items.map(\.item.account).sorted() == ["one", "two"], what)
      #expect(ReadOutcome { try vault.first(label)?.item.account } == .value("one"), what)
    }
  }

  @Test func `Garbage next to an item's row affects neither that item nor any other`() throws {
    for (name, replaced) in [
      ("noise", ["signed": "randomblob(400)", "time": "time + 9"]),
      ("nothing", ["signed": "x''", "attributes": "x''", "value": "x''"]),
      ("a value of another length", ["value": "zeroblob(100000)"]),
      ("the attributes of another", ["attributes": "(SELECT attributes FROM record WHERE id = 3)"]),
      ("a standing that does not exist", ["signed": "randomblob(400)", "standing": "77"]),
      ("a standing of pruned rows", ["signed": "randomblob(400)", "standing": "3"]),
      ("heads of another kind", ["signed": "randomblob(400)", "head": "-5"]),
      ("a hash of another length", ["hash": "randomblob(7)", "signed": "randomblob(400)"]),
      ("a tombstone by its columns", ["tombstone": "1", "signed": "randomblob(400)"]),
    ] {
      try plant(copyOf: 2, replaced)
      try expectUnharmed("\(name)")
    }
    try tampered.vault.set("anew", for: one)
    #expect(read(one) == .value("anew"))
    #expect(try tampered.vault.storedItem(for: one)?.hasConflict == false)
    #expect(try tampered.vault.delete(one))
    #expect(read(one) == .value(nil))
  }

  @Test(arguments: [0, 1, 15, 17, 300], [true, false])
  func `A row with an unknown identifier is reported by a list if it claims to be an item, and hides none`(
    count: Int, isHead: Bool
  ) throws {
    try plant(copyOf: 3, ["item": "zeroblob(\(count))"])
    try plant(copyOf: 3, ["item": "randomblob(16)"])
    if !isHead { try tampered.tamper("UPDATE record SET head = 0 WHERE id > 3") }
    let list = try tampered.vault.list(GenericPassword.self)
    #expect(list.items.map(\.item.account) == ["one", "two"])
    #expect(list.damaged.count == (isHead ? 2 : 0) && list.damaged.allSatisfy { $0.code == .integrity })
    #expect(try tampered.machine.run("coffer", "check").exitCode == 6)
    #expect(read(one) == .value("value of one") && read(two) == .value("value of two"))
  }

  @Test(arguments: [Int64.min, -5, 0, .max])
  func `A row with an extreme number stops no write, no check and no repair`(number: Int64) throws {
    // As a program that does not check references.
    try Command.run(
      "sqlite3", tampered.machine.vault.appending(path: "store.sqlite").path,
      "UPDATE record SET id = \(number) WHERE id = 1")
    try tampered.vault.set("anew", for: two)
    #expect(read(two) == .value("anew"))
    #expect(try tampered.machine.run("coffer", "check").exitCode == 6)
    // The outbox names a row that is gone, so the repair says that something may be lost.
    #expect(try tampered.machine.run("coffer", "check", "--repair").exitCode == 6)
    #expect(try tampered.machine.run("coffer", "check").exitCode == 0)
    #expect(try tampered.reopened().list(GenericPassword.self).items.map(\.item.account) == ["one", "two"])
    try tampered.reopened().set("once more", for: two)
    #expect(read(two) == .value("once more"))
  }

  @Test(arguments: [Int64.min, -1, .max])
  func `No number of items in the file ends a program, and a check restores the right one`(number: Int64) throws {
    try tampered.tamper("INSERT INTO item_count SELECT group_id, 7, ? FROM item_count", [number])
    try tampered.tamper("UPDATE item_count SET live = ?", [number])
    #expect(try tampered.vault.count(GenericPassword.self) >= 0)
    #expect(try tampered.machine.run("coffer", "status").exitCode == 0)
    try tampered.vault.delete(two)
    #expect(try tampered.machine.run("coffer", "check", "--repair").exitCode == 0)
    #expect(try tampered.reopened().count(GenericPassword.self) == 1)
  }

  @Test func `Copies of an item's tokens and tokens of its older versions find it once, undamaged`() throws {
    try tampered.tamper(
      "INSERT INTO token SELECT group_id, token, created + 1, arrival, item, record FROM token")
    try tampered.vault.update(two) { $0.label = "another label" }
    try tampered.tamper(
      "INSERT OR IGNORE INTO token SELECT group_id, randomblob(16), created, arrival, item, id FROM record WHERE head = 0"
    )
    let list = try tampered.vault.list(label)
    #expect(list.items.map(\.item.account) == ["one"] && list.damaged.isEmpty)
    #expect(try tampered.vault.delete(label) == 1)
  }

  @Test func `A list does not read deleted items, so a damaged one among them does not matter`() throws {
    try tampered.vault.delete(one)
    try tampered.tamper("UPDATE record SET signed = x'00' WHERE tombstone = 1")
    let list = try tampered.vault.list(GenericPassword.self)
    #expect(list.items.map(\.item.account) == ["two"] && list.damaged.isEmpty)
    #expect(try tampered.machine.run("coffer", "check").exitCode == 6)
  }

  @Test func `More foreign rows than a page holds neither shorten a list nor make it endless`() throws {
    for _ in 0..<300 { try plant(copyOf: 3, ["item": "CAST(zeroblob(16) || randomblob(4) AS BLOB)"]) }
    for _ in 0..<300 { try plant(copyOf: 3, ["item": "randomblob(3)"]) }
    for _ in 0..<300 { try plant(copyOf: 3, ["item": "randomblob(16)"]) }
    let list = try tampered.vault.list(GenericPassword.self)
    #expect(list.items.map(\.item.account).sorted() == ["one", "two"])
    // One error for each identifier, and one for all rows without one.
    #expect(list.damaged.count == 301)
  }

  @Test func `A row of another group under this one's name reveals nothing and is reported by lists`() throws {
    try tampered.vault.set("in two", for: one, in: "com.example.two")
    let newest = Int(try tampered.newestRow())
    let group = try tampered.blob("group_id", of: 2)
    try tampered.tamper("UPDATE record SET time = time WHERE group_id = ?", [group])
    // Next to the group's own item, and instead of it.
    for identifier in ["item", "(SELECT item FROM record WHERE id = 2)"] {
      try plant(
        copyOf: newest,
        ["group_id": "(SELECT group_id FROM record WHERE id = 2)", "item": identifier, "time": "time + 9"])
    }
    #expect(read(one, in: "com.example.one") == .value("value of one"))
    #expect(read(one, in: "com.example.two") == .value("in two"))
    let list = try tampered.vault.list(GenericPassword.self, in: "com.example.one")
    #expect(list.items.map(\.item.account).sorted() == ["one", "two"] && list.damaged.count == 1)
    // Also if it is the only row under that name.
    try tampered.tamper("UPDATE record SET head = 0 WHERE id IN (1, 2)")
    #expect(read(one, in: "com.example.one") == .error(.integrity))
  }

  @Test func `Two items with exchanged identifiers give an error each, and never each other's value`() throws {
    let first = try tampered.blob("item", of: 2)
    let second = try tampered.blob("item", of: 3)
    try tampered.tamper("UPDATE record SET item = CASE item WHEN ? THEN ? ELSE ? END", [first, second, first])
    #expect(read(one) == .error(.integrity) && read(two) == .error(.integrity))
    let list = try tampered.vault.list(GenericPassword.self)
    #expect(list.items.isEmpty && list.damaged.count == 2)
    #expect(ReadOutcome { try tampered.vault.first(label)?.item.account } == .error(.integrity))
    try tampered.vault.set("anew", for: one)
    #expect(read(one) == .value("anew"))
  }

  @Test func `Old versions that are marked as current beside the newest one change nothing`() throws {
    try tampered.tamper("UPDATE record SET head = 1")
    #expect(read(one) == .value("value of one"))
    #expect(try tampered.vault.storedItem(for: one)?.hasConflict == false)
    #expect(try tampered.vault.conflicts(GenericPassword.self).isEmpty)
    try tampered.vault.delete(one)
    try tampered.tamper("UPDATE record SET head = 1")
    #expect(read(one) == .value(nil))
    #expect(try tampered.vault.list(GenericPassword.self).items.map(\.item.account) == ["two"])
  }

  @Test func `An item whose rows are falsely marked as pruned is read or named, and does not vanish`() throws {
    try tampered.tamper("UPDATE record SET standing = 3 WHERE id = 2")
    #expect([.value("value of one"), .error(.integrity)].contains(read(one)))
    try tampered.tamper("UPDATE record SET standing = 3, head = 0 WHERE id IN (1, 2)")
    #expect([.value("value of one"), .error(.integrity)].contains(read(one)))
    let list = try tampered.vault.list(GenericPassword.self)
    #expect(list.items.count + list.damaged.count == 2)
    try tampered.vault.set("anew", for: one)
    #expect(read(one) == .value("anew"))
    #expect(try tampered.vault.storedItem(for: one)?.hasConflict == false)
  }

  @Test func `Inserted edges hide no item, and none that is written later`() throws {
    try tampered.tamper(
      "INSERT INTO edge SELECT r.hash, s.id FROM record r, record s WHERE true ON CONFLICT DO NOTHING")
    #expect(read(one) == .value("value of one") && read(two) == .value("value of two"))
    try tampered.vault.set("anew", for: one)
    #expect(read(one) == .value("anew"))
    try tampered.tamper("DELETE FROM edge")
    #expect(read(one) == .value("anew") && read(two) == .value("value of two"))
    try tampered.vault.set("after", for: one)
    #expect(read(one) == .value("after"))
    #expect(try tampered.vault.storedItem(for: one)?.hasConflict == false)
  }

  @Test func `Proofs of verification with random codes, for forged rows, are not trusted`() throws {
    var signed = try tampered.blob("signed", of: 3)
    signed[signed.count - 1] ^= 1
    try tampered.tamper("UPDATE record SET signed = ? WHERE id = 3", [signed])
    try tampered.tamper("DELETE FROM verified")
    try tampered.tamper("INSERT INTO verified SELECT r.id, r.author, randomblob(16) FROM record r")
    try tampered.tamper("INSERT INTO verified SELECT r.id, randomblob(16), randomblob(16) FROM record r")
    let vault = try tampered.reopened()
    #expect(ReadOutcome { try vault.string(for: two) } == .error(.integrity))
    #expect(ReadOutcome { try vault.string(for: one) } == .value("value of one"))
    // The proof of verification of one record is not valid for another.
    try tampered.tamper("DELETE FROM verified")
    _ = try tampered.reopened().string(for: one)
    try tampered.vault.set("third", for: GenericPassword(service: "s", account: "three"))
    try tampered.tamper("UPDATE OR REPLACE verified SET record = 3")
    #expect(ReadOutcome { try tampered.reopened().string(for: two) } == .error(.integrity))
  }

  @Test func `Rows marked as superseded long ago are not pruned while they count`() throws {
    try tampered.tamper("INSERT OR REPLACE INTO superseded SELECT id, 0 FROM record")
    for number in 0..<3 { try tampered.vault.set("\(number)", for: GenericPassword(service: "s", account: "other")) }
    #expect(read(one) == .value("value of one") && read(two) == .value("value of two"))
  }

  @Test func `Each kind of statement applied to every row leaves only true values and named errors`() throws {
    let columns = ["hash", "group_id", "item", "author", "bases", "tokens", "signed", "attributes", "value"]
    for column in columns {
      let fresh = try TamperedVault()
      try fresh.vault.set("first", for: one)
      try fresh.vault.set("value", for: one)
      let contents = column == "hash" ? "randomblob(32)" : "x'00'"
      try fresh.tamper("UPDATE record SET \(column) = \(contents)")
      for vault in [fresh.vault, try fresh.reopened()] {
        let reading = ReadOutcome { try vault.string(for: one) }
        let isHint = ["hash", "author", "bases", "tokens"].contains(column)
        switch column {
        case "group_id", "item": #expect(reading == .value(nil), "\(column)")
        default: #expect(reading == (isHint ? .value("value") : .error(.integrity)), "\(column)")
        }
      }
      try fresh.vault.set("anew", for: one)
      #expect(ReadOutcome { try fresh.vault.string(for: one) } == .value("anew"), "\(column)")
    }
  }
}
