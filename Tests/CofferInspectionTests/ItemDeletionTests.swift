import Coffer
import CofferFormat
import CofferInspection
import CofferVault
import Foundation
import Testing

@Suite struct ItemDeletionTests {
  private func revisions(_ vault: InspectedVault, _ request: ItemRequest) throws -> [ItemRevision] {
    try vault.items(request).rows.map { try vault.details(of: $0.reference, in: $0.group).revision }
  }

  @Test func `A deletion of several items is undone with values, dates, references and places`() throws {
    let session = try MemoryInspection()
    for number in 0..<4 {
      try session.app.add(
        "value \(number)", for: GenericPassword(service: "s\(number)", account: "a", label: "L\(number)"))
    }
    let key = KeychainKey(.private, algorithm: .rsa, sizeInBits: 2048, applicationTag: Data("tag".utf8))
    try session.app.add("key", for: key, in: "com.example.shared")
    let before = try session.vault.items().rows
    let deletion = try session.vault.delete(
      try revisions(session.vault, ItemRequest()).dropLast(1) + revisions(session.vault, ItemRequest(kind: .key)))
    #expect(deletion.count == 5)
    #expect(try session.vault.items().total == 0)
    #expect(try session.vault.undo(deletion.token) == 5)
    #expect(try session.vault.items().rows == before)
    #expect(try session.vault.items(ItemRequest(sort: .modified)).rows == before)
    #expect(try session.app.string(for: GenericPassword(service: "s2", account: "a")) == "value 2")
    #expect(try session.app.string(for: key, in: "com.example.shared") == "key")
    #expect(code { try session.vault.undo(deletion.token) } == .itemNotFound)
    #expect(code { try session.vault.undo("x") } == .itemNotFound)
  }

  @Test func `An undo is refused as a whole if one of the items was written since`() throws {
    let session = try TemporaryInspection()
    let names = ["one", "two"].map { GenericPassword(service: $0, account: "a") }
    for name in names { try session.app.add("old", for: name) }
    let deletion = try session.vault.delete(revisions(session.vault, ItemRequest()))
    try session.app.set("new", for: names[1])
    #expect(code { try session.vault.undo(deletion.token) } == .itemChanged)
    #expect(try names.map { try session.app.string(for: $0) } == [nil, "new"])
    // Deleting what was written does not make the old version the right one.
    try session.app.delete(names[1])
    #expect(code { try session.vault.undo(deletion.token) } == .itemChanged)
  }

  @Test func `A deletion of many is refused as a whole if one of the items was written since`() throws {
    let session = try TemporaryInspection()
    for name in ["one", "two"] { try session.app.add("v", for: GenericPassword(service: name, account: "a")) }
    let seen = try revisions(session.vault, ItemRequest())
    try session.app.set("new", for: GenericPassword(service: "two", account: "a"))
    #expect(code { try session.vault.delete(seen) } == .itemChanged)
    #expect(try session.app.count(GenericPassword.self) == 2)
  }

  @Test func `All items of a filter are deleted on all pages, and only those that were shown`() throws {
    let session = try MemoryInspection()
    for number in 0..<30 {
      try session.app.add("v", for: GenericPassword(service: number < 20 ? "old" : "new", account: "\(number)"))
    }
    let request = ItemRequest(text: "old", pageSize: 5)
    let shown = try session.vault.selection(request)
    let first = GenericPassword(service: "old", account: "0")
    try session.app.delete(first)
    try session.app.add("v", for: GenericPassword(service: "old", account: "20"))
    #expect(try session.vault.selection(request).count == shown.count)
    #expect(code { try session.vault.deleteAll(request, seen: shown.digest) } == .itemChanged)
    #expect(try session.vault.items(request).total == 20)
    let deletion = try session.vault.deleteAll(request, seen: session.vault.selection(request).digest)
    #expect(deletion.count == 20)
    #expect(try session.vault.items().rows.map(\.title) == Array(repeating: "new", count: 10))
    #expect(try session.vault.undo(deletion.token) == 20)
    #expect(try session.vault.items().total == 30)
  }

  @Test func `After a lock no deletion can be undone`() throws {
    let session = try MemoryInspection()
    try session.app.add("v", for: GenericPassword(service: "s", account: "a"))
    let deletion = try session.vault.delete(revisions(session.vault, ItemRequest()))
    session.vault.lock()
    try session.app.unlock()
    #expect(code { try session.vault.undo(deletion.token) } == .itemNotFound)
  }

  @Test func `A deleted item of this machine only comes back as such`() throws {
    let session = try MemoryInspection()
    let name = GenericPassword(service: "s", account: "a", accessibility: .whenUnlockedThisDeviceOnly)
    try session.app.add("v", for: name)
    let deletion = try session.vault.delete(revisions(session.vault, ItemRequest()))
    try session.vault.undo(deletion.token)
    #expect(try session.app.string(for: name) == "v")
    #expect(try session.app.storedItem(for: name)?.accessibility == .whenUnlockedThisDeviceOnly)
  }
}
