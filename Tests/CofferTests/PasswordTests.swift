import Coffer
import CofferAdministration
import CofferVault
import CofferFormat
import Foundation
import Testing

@Suite struct PasswordTests {
  private let name = GenericPassword(service: "service", account: "account")

  @Test func `A password is read as it was set, as data and as text, with its names`() throws {
    let fixture = try TemporaryVault()
    let vault = try fixture.app("com.example.one", groups: ["~com.example.one"])
    #expect(try vault.value(for: name) == nil)
    #expect(try vault.storedItem(for: name) == nil)
    var labelled = name
    labelled.label = "label"
    try vault.set("välue", for: labelled)
    #expect(try vault.string(for: name) == "välue")
    #expect(try vault.value(for: name) == Data("välue".utf8))
    let stored = try #require(try vault.storedItem(for: name))
    #expect(stored.item.service == "service" && stored.item.account == "account" && stored.item.label == "label")
    #expect(stored.accessGroup == "\(try fixture.team).com.example.one")
    #expect(stored.writer.application == stored.accessGroup && stored.writer.device == "laptop")
    #expect(!stored.hasConflict && stored.created == stored.modified)
    #expect(abs(stored.created.timeIntervalSinceNow) < 3600)
    #expect(try vault.list(GenericPassword.self).items == [stored])
    #expect(try vault.list(GenericPassword.self).damaged.isEmpty)
  }

  @Test func `Adding an existing item is duplicateItem and keeps the old value; after a deletion it succeeds`() throws {
    let vault = try TemporaryVault().app("com.example.one")
    try vault.add(Data("1".utf8), for: name)
    #expect(code { try vault.add(Data("2".utf8), for: name) } == .duplicateItem)
    #expect(VaultError.Code.duplicateItem.osStatus == -25299)
    #expect(try vault.string(for: name) == "1")
    #expect(try vault.delete(name))
    #expect(try !vault.delete(name))
    #expect(try vault.string(for: name) == nil)
    try vault.add(Data("3".utf8), for: name)
    #expect(try vault.string(for: name) == "3")
  }

  @Test func `Bytes that are not text are an error when read as text, and can be read as data`() throws {
    let vault = try TemporaryVault().app("com.example.one")
    try vault.set(Data([0xFF, 0xFE]), for: name)
    #expect(code { _ = try vault.string(for: name) } == .integrity)
    #expect(try vault.value(for: name) == Data([0xFF, 0xFE]))
  }

  @Test func `Names and values beyond their limits are refused without being repeated`() throws {
    let vault = try TemporaryVault().app("com.example.one")
    let long = String(repeating: "canary", count: 200_000)
    for password in [
      GenericPassword(service: long, account: ""), GenericPassword(service: "", account: long),
      GenericPassword(service: "", account: "", label: long),
    ] {
      let error = failure { try vault.set("v", for: password) }
      #expect(error?.code == .invalidArgument)
      #expect(error?.description.contains("canary") == false)
    }
    let error = failure { try vault.set(Data(count: Vault.maximumValueByteCount + 1), for: name) }
    #expect(error?.code == .invalidArgument)
  }

  @Test func `A write without a group uses the first entitled group; a read covers all in their order`() throws {
    let fixture = try TemporaryVault()
    let vault = try fixture.app("com.example.one", groups: ["~com.example.b", "~com.example.a"])
    let team = try fixture.team
    #expect(try vault.defaultAccessGroup == "\(team).com.example.b")
    #expect(
      try vault.accessGroups.map(\.name) == ["b", "a", "one"].map { "\(team).com.example.\($0)" })
    #expect(vault.applicationIdentifier == "\(team).com.example.one")
    try vault.set("in a", for: name, in: "com.example.a")
    #expect(try vault.string(for: name) == "in a")
    try vault.set("in b", for: name)
    #expect(try vault.string(for: name) == "in b")
    #expect(try vault.string(for: name, in: "com.example.a") == "in a")
    #expect(
      try vault.list(GenericPassword.self).items.map(\.accessGroup) == ["a", "b"].map { "\(team).com.example.\($0)" })
    #expect(try vault.delete(name))
    #expect(try vault.string(for: name) == nil)
  }

  @Test func `A group is named in full, with the team's variable, or without the prefix`() throws {
    let fixture = try TemporaryVault()
    let vault = try fixture.app("com.example.one", groups: ["~com.example.shared"])
    let forms = [
      "\(try fixture.team).com.example.shared", "$(AppIdentifierPrefix)com.example.shared", "com.example.shared",
      "${AppIdentifierPrefix}com.example.shared", "$(TeamIdentifierPrefix)com.example.shared",
    ]
    for form in forms {
      try vault.set(form, for: name, in: form)
      #expect(try vault.string(for: name) == form)
    }
    #expect(try vault.list(GenericPassword.self).items.count == 1)
    for form in ["", ".", "com.example", "COM.EXAMPLE.SHARED", "AAAAAAAAAA.com.example.shared", "com.example.shared\0"]
    {
      #expect(code { _ = try vault.string(for: name, in: form) } == .notEntitled)
    }
  }

  @Test func `The owner reads and writes every group, has no default group, and is a writer without an app`() throws {
    let fixture = try TemporaryVault()
    let app = try fixture.app("com.example.one")
    let owner = try fixture.owner()
    #expect(owner.applicationIdentifier == nil)
    #expect(try owner.defaultAccessGroup == nil)
    #expect(code { try owner.set("v", for: name) } == .invalidArgument)
    try owner.set("v", for: name, in: "com.example.one")
    #expect(try app.string(for: name) == "v")
    let writer = try #require(try app.storedItem(for: name)).writer
    #expect(writer.application == nil && writer.device == "laptop")
  }

  @Test func `Two unrelated versions are a conflict; the later one wins, and the next write resolves it`() throws {
    let fixture = try TemporaryVault()
    let one = try fixture.app("com.example.one", groups: ["~com.example.shared"])
    let two = try fixture.app("com.example.two", groups: ["~com.example.shared"])
    try one.set("first", for: name)
    // Written as by another machine that has not seen the first version and whose clock is a minute ahead.
    try fixture.plant(
      try fixture.forge(
        "second", service: "service", account: "account", in: "com.example.shared", by: "com.example.two"))
    for vault in [one, two] {
      #expect(try vault.string(for: name) == "second")
      #expect(try vault.storedItem(for: name)?.hasConflict == true)
      #expect(try vault.list(GenericPassword.self).items.map(\.hasConflict) == [true])
    }
    #expect(try VaultStatus.read(from: fixture.local).groups.map(\.conflictCount).reduce(0, +) == 1)
    try one.set("third", for: name)
    for vault in [one, two] {
      #expect(try vault.string(for: name) == "third")
      #expect(try vault.storedItem(for: name)?.hasConflict == false)
    }
    #expect(try VaultStatus.read(from: fixture.local).groups.map(\.conflictCount).reduce(0, +) == 0)
  }

  @Test func `Two open vaults see each other's writes at once`() throws {
    let fixture = try TemporaryVault()
    let first = try fixture.app("com.example.one")
    let second = try Vault.open(.bytes(TemporaryVault.plist("com.example.one")), at: fixture.location)
    for value in 0..<20 {
      try (value % 2 == 0 ? first : second).set("\(value)", for: name)
      #expect(try (value % 2 == 0 ? second : first).string(for: name) == "\(value)")
    }
    #expect(try first.storedItem(for: name)?.hasConflict == false)
  }
}
