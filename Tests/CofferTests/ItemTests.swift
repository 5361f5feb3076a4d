import Coffer
import Foundation
import Testing

@Suite struct ItemTests {
  private let vault: Vault

  init() throws {
    vault = try Vault.inMemory(
      entitlements: .bytes(
        TemporaryVault.plist(
          "com.example.one", groups: ["~com.example.one", "~com.example.shared"], readOnly: ["~com.example.read"])))
  }

  @Test func `Every attribute of a password is returned as it was set`() throws {
    var generic = GenericPassword(service: "s", account: "a", label: "l")
    generic.comment = "a comment"
    generic.itemDescription = "a kind"
    generic.creator = 0x6162_6364
    generic.type = 7
    generic.isInvisible = true
    generic.isNegative = true
    generic.generic = Data([0, 1, 255])
    generic.accessibility = .afterFirstUnlock
    generic.isSynchronizable = true
    try vault.set("v", for: generic)
    #expect(try vault.storedItem(for: generic)?.item == generic)

    var internet = InternetPassword(
      server: "example.com", account: "jane", protocol: .https, port: 8443, path: "/login", label: "Example")
    internet.securityDomain = "realm"
    internet.authenticationType = .httpDigest
    internet.accessibility = .whenUnlocked
    try vault.set("v", for: internet)
    #expect(try vault.storedItem(for: internet)?.item == internet)

    var key = KeychainKey(
      .private, algorithm: .ellipticCurve, sizeInBits: 256, applicationLabel: Data([1, 2]),
      applicationTag: Data("tag".utf8))
    key.usage = [.sign, .derive]
    key.startDate = Date(timeIntervalSince1970: 1_000_000)
    key.endDate = Date(timeIntervalSince1970: 2_000_000)
    key.creator = 9
    key.accessibility = .whenUnlockedThisDeviceOnly
    try vault.set([1, 2, 3] as [UInt8], for: key)
    #expect(try vault.storedItem(for: key)?.item == key)
    #expect(try vault.bytes(for: key) == [1, 2, 3])
  }

  @Test func `A change is as limited as a new item`() throws {
    let item = GenericPassword(service: "service", account: "limit")
    try vault.set("value", for: item)
    let large = [UInt8](repeating: 0, count: Vault.maximumValueByteCount + 1)
    #expect(code { try vault.update(item, value: large) } == .invalidArgument)
    #expect(try vault.string(for: item) == "value")
  }

  @Test func `Only the primary key identifies an item`() throws {
    let one = InternetPassword(server: "s", account: "a")
    var others = [InternetPassword](repeating: one, count: 8)
    others[0].server = "t"
    others[1].account = "b"
    others[2].port = 1
    others[3].path = "/"
    others[4].protocol = .ssh
    others[5].authenticationType = .ntlm
    others[6].securityDomain = "d"
    others[7].isSynchronizable = true
    for (index, item) in ([one] + others).enumerated() { try vault.add("\(index)", for: item) }
    for (index, item) in ([one] + others).enumerated() { #expect(try vault.string(for: item) == "\(index)") }
    var same = one
    same.label = "another label"
    same.comment = "another comment"
    #expect(code { try vault.add("x", for: same) } == .duplicateItem)
    #expect(try vault.count(InternetPassword.self) == 9)
    // Items of different classes are separate.
    try vault.add("generic", for: GenericPassword(service: "s", account: "a"))
    #expect(try vault.count(GenericPassword.self) == 1)
  }

  @Test func `Setting keeps unnamed attributes; updating removes those set to nil`() throws {
    var item = GenericPassword(service: "s", account: "a", label: "label")
    item.comment = "comment"
    try vault.set("1", for: item)
    try vault.set("2", for: GenericPassword(service: "s", account: "a"))
    var stored = try #require(try vault.storedItem(for: item))
    #expect(stored.item.label == "label" && stored.item.comment == "comment")
    #expect(try vault.update(item) { $0.comment = nil })
    stored = try #require(try vault.storedItem(for: item))
    #expect(stored.item.comment == nil && stored.item.label == "label")
    #expect(try vault.string(for: item) == "2")
    #expect(try vault.update(item, value: "3"))
    #expect(try vault.string(for: item) == "3")
    #expect(try !vault.update(GenericPassword(service: "none", account: "a")) { $0.label = "x" })
  }

  @Test func `A new primary key keeps value and reference, and is refused if another item has it`() throws {
    let old = GenericPassword(service: "s", account: "old")
    let new = GenericPassword(service: "s", account: "new")
    let reference = try vault.add("v", for: old)
    #expect(try vault.update(old) { $0.account = "new" })
    #expect(try vault.string(for: old) == nil)
    #expect(try vault.string(for: new) == "v")
    #expect(try vault.storedItem(for: new)?.reference == reference)
    try vault.add("w", for: old)
    #expect(code { try vault.update(old) { $0.account = "new" } } == .duplicateItem)
    #expect(try vault.string(for: old) == "w" && vault.string(for: new) == "v")
  }

  @Test func `An item moves with value and reference, but not to a group that may only be read`() throws {
    let item = GenericPassword(service: "s", account: "a")
    let reference = try vault.add("v", for: item)
    #expect(try vault.update(item, movingTo: "com.example.shared"))
    #expect(try vault.string(for: item, in: "com.example.one") == nil)
    #expect(try vault.string(for: item, in: "com.example.shared") == "v")
    #expect(try vault.first(ItemQuery<GenericPassword>().reference(reference))?.accessGroup.hasSuffix("shared") == true)
    #expect(code { try vault.update(item, movingTo: "com.example.read") } == .notEntitled)
    #expect(code { try vault.update(item, movingTo: "com.example.none") } == .notEntitled)
    #expect(try vault.string(for: item, in: "com.example.shared") == "v")
  }

  @Test func `A persistent reference survives encoding, updates and reopening, and ends with the item`() throws {
    let item = GenericPassword(service: "s", account: "a")
    let reference = try vault.add("v", for: item)
    let kept = try #require(PersistentReference(data: reference.data))
    #expect(kept == reference && reference.data.count == 20)
    #expect(PersistentReference(data: Data("short".utf8)) == nil)
    #expect(PersistentReference(data: Data(count: 20)) == nil)
    try vault.set("w", for: item)
    let again = try vault.reopened(
      as: .bytes(
        TemporaryVault.plist(
          "com.example.one", groups: ["~com.example.one", "~com.example.shared"], readOnly: ["~com.example.read"])))
    #expect(try again.first(ItemQuery<GenericPassword>().reference(kept))?.item.account == "a")
    #expect(try again.first(ItemQuery<InternetPassword>().reference(kept)) == nil)
    try vault.delete(item)
    #expect(try vault.first(ItemQuery<GenericPassword>().reference(kept)) == nil)
    try vault.add("x", for: item)
    #expect(try vault.first(ItemQuery<GenericPassword>().reference(kept)) == nil)
  }

  @Test func `Codable values are written and read in one call, and another type's error shows no value`() throws {
    struct Session: Codable, Equatable {
      var token: String
      var expires: Date
      var scopes: [String]
    }
    let item = GenericPassword(service: "s", account: "session")
    let session = Session(token: "CANARY", expires: Date(timeIntervalSince1970: 1.25), scopes: ["a", "b"])
    try vault.set(encoding: session, for: item)
    #expect(try vault.value(Session.self, for: item) == session)
    #expect(try vault.string(for: item)?.contains("\"scopes\":[\"a\",\"b\"]") == true)
    let error = failure { _ = try vault.value([Int].self, for: item) }
    #expect(error?.code == .integrity && error?.osStatus == -26275)
    #expect(error?.description.contains("CANARY") == false)
    #expect(code { try vault.set(encoding: Double.nan, for: item) } == .invalidArgument)
    #expect(try vault.value(Session.self, for: item) == session)
    #expect(try vault.value(Session.self, for: GenericPassword(service: "", account: "")) == nil)
  }

  @Test func `A read-only group can be read and searched, and every change of it is refused`() throws {
    let writer = try vault.reopened(as: .bytes(TemporaryVault.plist("com.example.two", groups: ["~com.example.read"])))
    let item = GenericPassword(service: "s", account: "a")
    try writer.set("v", for: item)
    #expect(try vault.string(for: item) == "v")
    #expect(try vault.storedItem(for: item)?.writer.application?.hasSuffix("com.example.two") == true)
    #expect(code { try vault.set("w", for: item, in: "com.example.read") } == .notEntitled)
    #expect(code { try vault.update(item, in: "com.example.read", value: "w") } == .notEntitled)
    #expect(code { try vault.delete(item, in: "com.example.read") } == .notEntitled)
    // Without a group, a change applies to the groups that the app may write.
    #expect(try !vault.delete(item) && !vault.update(item, value: "w"))
    #expect(try vault.string(for: item) == "v")
  }
}
