import Coffer
import CofferFormat
import CofferInspection
import Foundation
import Testing

/// The names for people that pages show in place of identifiers.
@Suite struct ItemNameTests {
  @Test func `The label leads, then account and service; a service leads only without a label`() throws {
    let session = try MemoryInspection()
    try session.app.add("v", for: GenericPassword(service: "github.com", account: "jane", label: "Work"))
    try session.app.add("v", for: GenericPassword(service: "a.example", account: "jane"))
    try session.app.add("v", for: GenericPassword(service: "same", account: "", label: "same"))
    let rows = try session.vault.items(ItemRequest(sort: .name)).rows
    // In the order of the names that are shown.
    #expect(rows.map(\.name) == ["a.example", "same", "Work"])
    #expect(rows.map(\.caption) == ["jane", "", "jane · github.com"])
    // Found by what is not shown first.
    #expect(try session.vault.items(ItemRequest(text: "github", sort: .name)).rows.map(\.name) == ["Work"])
  }

  @Test func `The hash and the collections of the Secret Service are no names, and its attributes are a table`() throws
  {
    let session = try MemoryInspection()
    var item = GenericPassword(service: "Network", account: "jane 916c59203387", label: "Wi-Fi")
    item.generic = Data(#"{"attributes":{"user":"jane","setting":"psk"},"contentType":"text/plain"}"#.utf8)
    try session.app.add("v", for: item)
    // The same account of an app that has chosen it.
    try session.app.add("v", for: GenericPassword(service: "Other", account: "jane 916c59203387"))
    try session.app.add(
      "v", for: GenericPassword(service: "Secret Service collection", account: "login", label: "Login"))
    let rows = try session.vault.items(ItemRequest(sort: .name)).rows
    #expect(rows.map(\.name) == ["Login", "Other", "Wi-Fi"])
    #expect(rows.map(\.caption)[1...] == ["jane 916c59203387", "jane · Network"])
    let details = try session.vault.details(of: rows[2].reference)
    #expect(details.programAttributes.map(\.name) == ["setting", "user"])
    #expect(try session.vault.details(of: rows[1].reference).programAttributes.isEmpty)
  }

  @Test func `A group has the last words of its name, unless another group would have the same`() {
    let names = TeamNames(
      team: "ABCDEFGHIJ",
      groups: ["com.example.household", "com.example.photo.pro", "com.evil.mail", "com.example.Mail", "plain"].map {
        "ABCDEFGHIJ.\($0)"
      })
    #expect(names.display("ABCDEFGHIJ.com.example.household") == "Household")
    #expect(names.display("ABCDEFGHIJ.com.example.photo.pro") == "Photo pro")
    #expect(names.display("ABCDEFGHIJ.com.evil.mail") == "com.evil.mail")
    #expect(names.display("ABCDEFGHIJ.com.example.Mail") == "com.example.Mail")
    #expect(names.display("ABCDEFGHIJ.plain") == "Plain")
    #expect(names.display("ABCDEFGHIJ.com.example.other") == "com.example.other", "a group that is not shown")
  }

  @Test func `An app has the last words of its name, and its identifier if another app's name looks like that`() {
    let names = TeamNames(
      team: "ABCDEFGHIJ", groups: ["ABCDEFGHIJ.com.example.mail"],
      apps: ["com.example.mail", "com.example.photo-pro", "org.evil.Photo.pro", "com.example.bill", "net.evil.bi1l"].map
      {
        "ABCDEFGHIJ.\($0)"
      })
    #expect(names.title(ofApp: "ABCDEFGHIJ.com.example.mail") == "Mail", "its group has the same name")
    #expect(names.title(ofApp: "ABCDEFGHIJ.com.example.photo-pro") == "com.example.photo-pro")
    #expect(names.title(ofApp: "ABCDEFGHIJ.org.evil.Photo.pro") == "org.evil.Photo.pro")
    #expect(names.title(ofApp: "ABCDEFGHIJ.com.example.bill") == "com.example.bill")
    #expect(names.title(ofApp: "ABCDEFGHIJ.net.evil.bi1l") == "net.evil.bi1l")
    #expect(names.title(ofApp: "ABCDEFGHIJ.com.example.other") == "com.example.other", "an app that is not registered")
  }

  @Test func `A code is that of the seed, and an item without one has none`() throws {
    let session = try MemoryInspection()
    var item = GenericPassword(service: "codes", account: "jane")
    let seed = try OneTimePassword(seed: "JBSWY3DPEHPK3PXP")
    item.oneTimePassword = seed
    try session.app.add("v", for: item)
    try session.app.add("v", for: GenericPassword(service: "none", account: "jane"))
    let details = try session.vault.items(ItemRequest(sort: .name)).rows.map {
      try session.vault.details(of: $0.reference)
    }
    #expect(details.map(\.hasCodes) == [true, false])
    let code = try session.vault.code(of: details[0].revision)
    #expect(code.seed == seed && code.text.count == 6 && (1...30).contains(code.seconds))
    #expect(throws: VaultError.self) { try session.vault.code(of: details[1].revision) }
    let other = try OneTimePassword(seed: "GEZDGNBVGY3TQOJQ")
    let edited = try session.vault.edit(details[1].revision, [:], oneTimePassword: other)
    #expect(try session.vault.code(of: edited).seed == other)
  }

  @Test func `Selected items are moved together, or none of them`() throws {
    let session = try MemoryInspection()
    for name in ["one", "two"] { try session.app.add("v", for: GenericPassword(service: name, account: "a")) }
    let rows = try session.vault.items().rows
    let chosen = try session.vault.selection(rows.map { ($0.reference, $0.group) })
    #expect(chosen.selection.count == 2)
    let destination = try #require(session.app.accessGroups.map(\.name).first { $0 != rows[0].group })
    // The second one would have the names of another item there.
    try session.app.add("v", for: GenericPassword(service: "two", account: "a"), in: destination)
    #expect(throws: VaultError.self) { try session.vault.move(chosen.revisions, to: destination) }
    #expect(try session.vault.items(ItemRequest(group: rows[0].group)).total == 2)
    try session.app.delete(GenericPassword(service: "two", account: "a"), in: destination)
    try session.vault.move(chosen.revisions, to: destination)
    #expect(try session.vault.items(ItemRequest(group: destination)).total == 2)
    #expect(try session.vault.selection(rows.map { ($0.reference, destination) }).selection != chosen.selection)
  }
}
