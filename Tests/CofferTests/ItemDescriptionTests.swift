import Coffer
import Foundation
import Testing

@Suite struct ItemDescriptionTests {
  @Test func `An item's description names its properties, and no code of an attribute`() {
    var password = GenericPassword(
      service: "api.example.com", account: "jane", label: "Test", accessibility: .afterFirstUnlock)
    #expect(
      "\(password)"
        == "GenericPassword(service: \"api.example.com\", account: \"jane\", label: \"Test\", "
        + "accessibility: .afterFirstUnlock)")
    password.generic = Data("canary".utf8)
    password.comment = "a\u{1B}[2Jb"
    #expect("\(password)".contains("comment: \"a\\u{1B}[2Jb\", generic: 6 bytes"))
    #expect(!"\(password)".contains("canary"))
    let account = InternetPassword(server: "example.com", account: "jane", protocol: .https, port: 443)
    #expect("\(account)".hasPrefix("InternetPassword(server: \"example.com\", account: \"jane\", protocol: \"htps\", "))
    #expect("\(account)".contains("port: 443"))
    #expect(String(describing: Optional(account)).contains("server: \"example.com\""))
  }

  @Test func `A stored item's description has the group and the writer, and never the value`() throws {
    let vault = try TemporaryVault().app("com.example.one")
    let item = GenericPassword(service: "s", account: "a")
    try vault.set("canary-value", for: item)
    let stored = try #require(try vault.storedItem(for: item))
    let text = "\(stored)"
    #expect(text.hasPrefix("GenericPassword(service: \"s\", account: \"a\""), "\(text)")
    #expect(text.contains("in \(stored.accessGroup), written by ") && text.contains("com.example.one on laptop at "))
    #expect(!text.contains("canary") && !text.contains("rawValue"))
    let key = KeychainKey(.private, algorithm: .rsa, sizeInBits: 2048, applicationLabel: Data([1, 2]))
    #expect("\(key)".hasPrefix("KeychainKey(kind: "))
    #expect("\(key)".contains("sizeInBits: 2048") && "\(key)".contains("applicationLabel: 2 bytes"))
  }

  @Test func `A plist in Data opens a vault as one in an array does`() throws {
    let plist = TemporaryVault.plist("com.example.one")
    for source in [EntitlementsSource.bytes(plist), .bytes(Data(plist))] {
      #expect(try Vault.inMemory(entitlements: source).applicationIdentifier?.hasSuffix("com.example.one") == true)
    }
  }
}
