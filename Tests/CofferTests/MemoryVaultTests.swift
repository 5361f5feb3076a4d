import Coffer
import Foundation
import Testing

@Suite("A vault in memory")
struct MemoryVaultTests {
  private let name = GenericPassword(service: "s", account: "a")

  @Test("Two apps share what their entitlements share, and nothing else")
  func sharing() throws {
    let pro = try Vault.inMemory(
      entitlements: .bytes(Fixture.plist("com.example.pro", groups: ["~com.example.pro", "~com.example.purchases"])))
    let free = try pro.reopened(as: .bytes(Fixture.plist("com.example.free", readOnly: ["~com.example.purchases"])))
    try pro.set("private", for: name)
    try pro.set("bought", for: name, in: "com.example.purchases")
    #expect(try free.string(for: name) == "bought")
    #expect(code { _ = try free.string(for: name, in: "com.example.pro") } == .notEntitled)
    #expect(code { try free.set("forged", for: name, in: "com.example.purchases") } == .notEntitled)
    // A plist that was extended since is refused, as in a folder.
    let more = Fixture.plist("com.example.free", groups: ["~com.example.pro"])
    #expect(code { _ = try pro.reopened(as: .bytes(more)) } == .notEntitled)
  }

  @Test(
    "Each fault gives its error, nothing has changed, and all works again without it",
    arguments: [
      (VaultFault.locked, VaultError.Code.locked, -25308 as Int32), (.missingEntitlement, .notEntitled, -34018),
      (.corrupt, .integrity, -26275), (.authenticationCancelled, .authenticationCancelled, -128),
    ])
  func faults(fault: VaultFault, expected: VaultError.Code, status: Int32) throws {
    let vault = try Vault.inMemory(entitlements: .bytes(Fixture.plist("com.example.one")))
    try vault.set("1", for: name)
    try vault.inject(fault)
    #expect(failure { _ = try vault.value(for: name) }?.osStatus == status)
    #expect(code { try vault.set("2", for: name) } == expected)
    try vault.inject(nil)
    #expect(try vault.string(for: name) == "1")
  }

  @Test("A full disk stops writes and no reads")
  func diskFull() throws {
    let vault = try Vault.inMemory(entitlements: .bytes(Fixture.plist("com.example.one")))
    try vault.set("1", for: name)
    try vault.inject(.diskFull)
    #expect(failure { try vault.set("2", for: name) }?.osStatus == -34)
    #expect(code { try vault.delete(name) } == .diskFull)
    #expect(try vault.string(for: name) == "1")
  }

  @Test("A vault in a folder takes no faults")
  func folder() throws {
    let vault = try Fixture().app("com.example.one")
    #expect(code { try vault.inject(.diskFull) } == .invalidArgument)
    #expect(code { _ = try vault.reopened(as: .bytes(Fixture.plist("com.example.one"))) } == .invalidArgument)
  }
}
