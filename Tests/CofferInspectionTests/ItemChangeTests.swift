import Coffer
import CofferCrypto
import CofferFormat
import CofferInspection
import CofferVault
import Foundation
import Testing

@Suite struct ItemChangeTests {
  private let name = GenericPassword(service: "service", account: "account")

  private func details(_ vault: InspectedVault, _ text: String = "service") throws -> ItemDetails {
    let row = try #require(try vault.items(ItemRequest(text: text)).rows.first)
    return try vault.details(of: row.reference, in: row.group)
  }

  @Test func `An edit changes attributes and value, and keeps the rest`() throws {
    let session = try MemoryInspection()
    let reference = try session.app.add("old", for: GenericPassword(service: "service", account: "account", label: "L"))
    var seen = try details(session.vault)
    #expect(seen.fields.first { $0.code == "labl" }?.fieldText == "L")
    let revision = try session.vault.edit(
      seen.revision, ["labl": "New", "icmt": "A comment", "acct": "renamed", "invi": "1", "pdmn": "ck"])
    seen = try details(session.vault)
    #expect(seen.revision == revision && seen.row.label == "New" && seen.row.subtitle == "renamed")
    #expect(seen.attributes.first { $0.code == "pdmn" }?.text == "after the first unlock")
    #expect(seen.attributes.first { $0.code == "invi" }?.text == "yes")
    let item = try #require(try session.app.storedItem(for: GenericPassword(service: "service", account: "renamed")))
    #expect(item.reference == reference && item.item.comment == "A comment")
    try session.vault.edit(revision, ["labl": "", "invi": "0"], value: SecretText("new"))
    #expect(try session.app.string(for: item.item) == "new")
    let after = try #require(try session.app.storedItem(for: item.item)).item
    #expect(after.label == nil && !after.isInvisible)
  }

  @Test func `A text that an attribute cannot have is refused, and nothing changes`() throws {
    let session = try MemoryInspection()
    try session.app.add("v", for: InternetPassword(server: "service", account: "a", port: 1))
    try session.app.add("v", for: InternetPassword(server: "service", account: "b", port: 1))
    let seen = try details(session.vault)
    let long = String(repeating: "x", count: 1_025)
    for changes in [
      ["port": "x"], ["port": "65536"], ["port": "-1"], ["ptcl": "none"], ["pdmn": "zz"], ["labl": long], ["cdat": "1"],
      ["pref": "00"], ["????": "x"], ["svce": "x"], ["icmt": String(repeating: "x", count: 65_537)],
    ] {
      #expect(code { try session.vault.edit(seen.revision, changes) } == .invalidArgument, "\(changes.keys)")
    }
    #expect(code { try session.vault.edit(seen.revision, ["acct": "b"]) } == .duplicateItem)
    #expect(try details(session.vault).revision == seen.revision)
    try session.vault.edit(seen.revision, ["port": "65535", "ptcl": "htps", "atyp": "http"])
    let changed = try details(session.vault)
    #expect(changed.attributes.first { $0.code == "ptcl" }?.text == "HTTPS")
    #expect(changed.attributes.first { $0.code == "atyp" }?.text == "HTTP Basic")
  }

  @Test func `An item can be made one that requires a passphrase only where the machine has one`() throws {
    for passphrase in [nil, "correct"] {
      let session = try MemoryInspection(passphrase: passphrase)
      try session.app.add("v", for: name)
      let seen = try details(session.vault)
      let refusal = code { try session.vault.edit(seen.revision, ["pdmn": "akpu"]) }
      #expect(refusal == (passphrase == nil ? .invalidArgument : nil))
      #expect(try details(session.vault).isDeviceLocal == (passphrase != nil))
      // Nor can it lose what says whether it leaves the machine.
      let now = try details(session.vault).revision
      #expect(code { try session.vault.edit(now, ["pdmn": ""]) } == .invalidArgument)
      #expect(try details(session.vault).revision == now)
    }
  }

  @Test func `Storing a value again keeps what an edit may not change`() throws {
    let session = try MemoryInspection(passphrase: "correct")
    let control = AccessControl(protection: "ak", flags: 1)
    let attributes = ItemAttributes([
      .service: .string("s"), .account: .string("a"), .accessible: .string("ak"), .accessControl: .data(control.bytes),
    ])
    _ = try session.app.add(ItemDraft(itemClass: .genericPassword, attributes: attributes, value: [1]), in: nil)
    let names = ["svce": "s", "acct": "a"]
    let seed = try OneTimePassword(seed: "MY")
    let before = try details(session.vault, "s").revision
    #expect(
      code { try session.vault.set(.genericPassword, names, oneTimePassword: seed, value: [2], in: nil) } == .locked)
    let readable = names.merging(["pdmn": "ck"]) { $1 }
    #expect(code { try session.vault.set(.genericPassword, readable, value: [2], in: nil) } == .locked)
    #expect(try details(session.vault, "s").revision == before)
    let machine = try MemoryInspection()
    let passphrase = names.merging(["pdmn": "akpu"]) { $1 }
    #expect(code { try machine.vault.set(.genericPassword, passphrase, value: [2], in: nil) } == .invalidArgument)
    #expect(try machine.app.count(GenericPassword.self) == 0)
    try machine.vault.set(.genericPassword, names, oneTimePassword: seed, value: [2], in: nil)
    try machine.vault.set(.genericPassword, names.merging(["labl": "L"]) { $1 }, value: [3], in: nil)
    let item = try #require(try machine.app.storedItem(for: GenericPassword(service: "s", account: "a"))).item
    #expect(item.oneTimePassword == seed && item.label == "L")
  }

  @Test func `Line breaks of CR and LF survive a form, in the value and in a text that is changed`() throws {
    let session = try MemoryInspection()
    var item = name
    item.comment = "one\r\ntwo"
    try session.app.add("first\r\nsecond\n", for: item)
    var revision = try details(session.vault).revision
    revision = try session.vault.edit(revision, ["labl": "L", "icmt": "one\r\ntwo"])
    #expect(try session.app.storedItem(for: item)?.item.comment == "one\r\ntwo")
    #expect(try session.vault.value(of: revision).text == "first\r\nsecond\n")
    revision = try session.vault.edit(revision, ["icmt": "one\r\ntwo\r\nthree"])
    #expect(try session.app.storedItem(for: item)?.item.comment == "one\r\ntwo\r\nthree")
    revision = try session.vault.edit(revision, [:], value: SecretText("new\r\nvalue"))
    #expect(try session.vault.value(of: revision).text == "new\r\nvalue")
  }

  @Test func `What a form does to a text is not a change, and what a person does is`() throws {
    let session = try MemoryInspection()
    var item = GenericPassword(service: "a\nb\0c", account: "e\u{301}", label: "x\ry")
    item.comment = "one\ntwo"
    try session.app.add("v", for: item)
    let stored = try #require(try session.app.storedItem(for: item)).item
    let seen = try details(session.vault, "")
    let unchanged = [
      ["svce": "ab\u{FFFD}c", "acct": "e\u{301}", "labl": "xy", "icmt": "one\r\ntwo"], ["svce": "a\nb\0c"],
      ["icmt": "onetwo"], ["labl": "x\ry"],
    ]
    var revision = seen.revision
    for changes in unchanged { revision = try session.vault.edit(revision, changes) }
    #expect(try session.app.storedItem(for: item)?.item == stored)
    revision = try session.vault.edit(revision, ["icmt": "one\r\ntwo\r\nthree", "acct": "\u{E9}"])
    let changed = GenericPassword(service: "a\nb\0c", account: "\u{E9}")
    #expect(try session.app.storedItem(for: changed)?.item.comment == "one\ntwo\nthree")
  }

  @Test func `Edit, move, delete and restore are refused if another version was written since`() throws {
    let session = try TemporaryInspection()
    try session.app.add("1", for: name)
    let seen = try details(session.vault)
    let version = try #require(try session.vault.history(of: seen.revision).versions.first)
    try session.app.set("2", for: name)
    let changes: [(String, () throws -> Void)] = [
      ("edit", { try session.vault.edit(seen.revision, ["labl": "x"]) }),
      ("move", { try session.vault.move(seen.revision, to: "com.example.shared") }),
      ("delete", { try session.vault.delete([seen.revision]) }),
      ("restore", { try session.vault.restore(version, over: seen.revision) }),
    ]
    for (change, body) in changes {
      let error = #expect(throws: VaultError.self) { try body() }
      #expect(error?.code == .itemChanged, "\(change)")
      #expect(error?.message.contains("com.example.one on laptop") == true, "\(change)")
      #expect(error?.recoverySuggestion != nil)
    }
    #expect(try session.app.string(for: name) == "2")
    #expect(try details(session.vault).row.label == nil)
    try session.app.delete(name)
    for (change, body) in changes { #expect(code(body) == .itemChanged, "\(change) of a deleted item") }
  }

  @Test func `A version that arrives beside the seen one refuses a change too`() throws {
    let session = try TemporaryInspection()
    try session.app.add("1", for: name)
    try session.app.set("2", for: name)
    var seen: ItemDetails?
    // The version that arrives is older than the one that was seen, which stays the current one.
    try session.write {
      try session.app.set("3", for: name)
      seen = try details(session.vault)
    } _: {
      try $0.set("there", for: name)
    }
    let before = try #require(seen)
    #expect(before.conflict.isEmpty)
    #expect(code { try session.vault.edit(before.revision, ["labl": "x"]) } == .itemChanged)
    let now = try details(session.vault)
    #expect(now.conflict.count == 2 && now.conflict.map(\.isCurrent) == [true, false])
    try session.vault.edit(now.revision, ["labl": "x"])
    #expect(try details(session.vault).conflict.isEmpty)
  }

  @Test func `An item is moved to another group with its reference and its dates`() throws {
    let session = try MemoryInspection()
    try session.app.add("v", for: name)
    let seen = try details(session.vault)
    #expect(code { try session.vault.move(seen.revision, to: seen.row.group) } == .invalidArgument)
    #expect(code { try session.vault.move(seen.revision, to: "com.example.none") } == .notEntitled)
    let moved = try session.vault.move(seen.revision, to: "com.example.shared")
    let after = try session.vault.details(of: seen.row.reference)
    #expect(after.revision == moved && after.row.group.hasSuffix(".com.example.shared"))
    #expect(after.row.created == seen.row.created && after.row.reference == seen.row.reference)
    try session.app.add("w", for: name)
    let other = try session.vault.details(of: #require(session.vault.items().rows.dropFirst().first).reference)
    #expect(code { try session.vault.move(other.revision, to: "com.example.shared") } == .duplicateItem)
    #expect(try session.vault.writableGroups.count == 2)
  }

  @Test func `The text of a revision names it, and no other text does`() throws {
    let session = try MemoryInspection()
    try session.app.add("v", for: name)
    let revision = try details(session.vault).revision
    #expect(ItemRevision(text: revision.text) == revision)
    let text = revision.text
    for other in ["", ".", "..", text + ".", text + ".00", text.uppercased(), String(text.dropLast()), "x" + text] {
      #expect(ItemRevision(text: other) == nil, "\(other)")
    }
    #expect(ItemReference(code: "genp", text: String(repeating: "0", count: 31)) == nil)
    #expect(ItemReference(code: "none", text: String(repeating: "0", count: 32)) == nil)
    let unknown = try #require(ItemReference(code: "genp", text: String(repeating: "0", count: 32)))
    #expect(code { _ = try session.vault.details(of: unknown) } == .itemNotFound)
  }

  @Test func `In a group that can only be read, nothing can be changed`() throws {
    let session = try TemporaryInspection(groups: [], readOnly: ["~com.example.shared"])
    let writer = try session.app("com.example.writer", groups: ["~com.example.shared"])
    try writer.set("v", for: name, in: "com.example.shared")
    let seen = try details(session.vault)
    #expect(!seen.isWritable && seen.fields.isEmpty)
    #expect(code { try session.vault.edit(seen.revision, ["labl": "x"]) } == .notEntitled)
    #expect(code { try session.vault.delete([seen.revision]) } == .notEntitled)
    #expect(try session.vault.selection(ItemRequest(text: "service")).count == 0)
    let request = ItemRequest(group: "com.example.shared", text: "service")
    let shown = try session.vault.selection(request)
    #expect(shown.count == 1)
    #expect(code { try session.vault.deleteAll(request, seen: shown.digest) } == .notEntitled)
    #expect(try writer.string(for: name, in: "com.example.shared") == "v")
  }
}
