import Coffer
import CofferTestSupport
import Foundation
import Testing

/// Single bits of an item's row change on disk, followed by single reads, lists and the next write.
@Suite struct FlippedBitTests {
  private let tampered: TamperedVault
  private let one = GenericPassword(service: "s", account: "one", label: "label one")
  private let two = GenericPassword(service: "s", account: "two", label: "label two")

  init() throws {
    tampered = try TamperedVault()
    try tampered.vault.set("first of one", for: one)
    try tampered.vault.set("value of one", for: one)
    try tampered.vault.set("value of two", for: two)
  }

  private func read(_ item: GenericPassword) -> ReadOutcome { ReadOutcome { try tampered.vault.string(for: item) } }

  /// Returns the result of a list: the accounts, and the number of items it reports as damaged. A list that fails as a
  /// whole fails the test.
  private func list() throws -> (accounts: [String], damaged: Int) {
    let list = try tampered.vault.list(GenericPassword.self)
    #expect(list.damaged.allSatisfy { $0.code == .integrity })
    return (list.items.map(\.item.account).sorted(), list.damaged.count)
  }

  @Test(arguments: ["class", "tombstone", "time", "head", "standing", "created", "arrival"])
  func `Numbers in a row are hints: with any flipped bit this item and every other are read correctly`(column: String)
    throws
  {
    let row = try tampered.newestRow() - 1
    let good = try tampered.number(column, of: row)
    for bit in 0..<64 {
      try tampered.tamper("UPDATE record SET \(column) = ? WHERE id = ?", [good ^ (Int64(1) << Int64(bit)), row])
      #expect(read(one) == .value("value of one"), "\(column), bit \(bit)")
      #expect(read(two) == .value("value of two"), "\(column), bit \(bit)")
      let list = try list()
      #expect(list.accounts == ["one", "two"] && list.damaged == 0, "\(column), bit \(bit)")
    }
  }

  @Test func `Items under the numbers of other classes are all listed, however many there are`() throws {
    for number in 1...600 { try tampered.vault.set("v", for: GenericPassword(service: "many", account: "\(number)")) }
    try tampered.tamper("UPDATE record SET class = 99")
    #expect(try list().accounts.count == 602)
  }

  @Test(arguments: ["signed", "attributes", "value", "hash", "item", "bases", "tokens", "author"])
  func `A list reports or correctly shows the item with a flipped byte, and shows all others`(column: String) throws {
    let row = try tampered.newestRow() - 1
    let good = try tampered.blob(column, of: row)
    for place in good.indices {
      var bad = good
      bad[place] ^= 0x10
      try tampered.tamper("UPDATE record SET \(column) = ? WHERE id = ?", [bad, row])
      let list = try list()
      let isNamed = list.accounts == ["two"] && list.damaged == 1
      // Under a foreign identifier the newest version is reported; the previous one must not replace it.
      let isShown = list.accounts == ["one", "two"] && list.damaged == 0
      #expect(isNamed || isShown || (column == "item" && list.accounts == ["two"]), "\(column) \(place): \(list)")
      if ["signed", "attributes", "item"].contains(column), place < good.count - 64 {
        #expect(!isShown, "\(column) \(place)")
      }
      try tampered.tamper("UPDATE record SET \(column) = ? WHERE id = ?", [good, row])
    }
  }

  @Test(arguments: [
    "signed", "attributes", "value", "hash", "bases", "tokens", "author", "class", "tombstone", "time", "head",
    "standing", "created", "arrival",
  ])
  func `Setting any damaged item again leaves one version, without conflict or damage`(column: String) throws {
    let row = try tampered.newestRow() - 1
    if ["class", "tombstone", "time", "head", "standing", "created", "arrival"].contains(column) {
      try tampered.tamper("UPDATE record SET \(column) = \(column) + 2 WHERE id = ?", [row])
    } else {
      var bad = try tampered.blob(column, of: row)
      bad[bad.count / 2] ^= 1
      try tampered.tamper("UPDATE record SET \(column) = ? WHERE id = ?", [bad, row])
    }
    try tampered.vault.set("anew", for: one)
    for vault in [tampered.vault, try tampered.reopened()] {
      #expect(try vault.string(for: one) == "anew")
      #expect(try vault.storedItem(for: one)?.hasConflict == false)
      #expect(try vault.conflicts(GenericPassword.self).isEmpty)
      #expect(try vault.string(for: two) == "value of two")
    }
    let list = try list()
    #expect(list.accounts == ["one", "two"] && list.damaged == 0)
    #expect(try tampered.vault.delete(one))
    #expect(read(one) == .value(nil))
    #expect(try self.list().accounts == ["two"])
  }

  @Test(arguments: ["hash", "bases", "tokens", "author", "signed", "attributes", "value"], [0, 1, 15, 17, 4096])
  func `Columns of another length are reported or not trusted, and setting the item repairs them`(
    column: String, count: Int
  ) throws {
    let row = try tampered.newestRow() - 1
    try tampered.tamper("UPDATE record SET \(column) = zeroblob(?) WHERE id = ?", [count, row])
    #expect([.value("value of one"), .error(.integrity)].contains(read(one)))
    #expect(read(two) == .value("value of two"))
    #expect(try list().accounts.contains("two"))
    try tampered.vault.set("anew", for: one)
    #expect(read(one) == .value("anew"))
    #expect(try tampered.vault.storedItem(for: one)?.hasConflict == false)
    let list = try list()
    #expect(list.accounts == ["one", "two"] && list.damaged == 0)
  }
}
