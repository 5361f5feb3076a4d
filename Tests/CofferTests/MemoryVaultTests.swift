import Coffer
import CofferTesting
import CofferVault
import Foundation
import Testing

@Suite struct MemoryVaultTests {
  private let name = GenericPassword(service: "s", account: "a")

  @Test func `Two apps share the groups of their entitlements, and nothing else`() throws {
    let pro = try Vault.inMemory(
      entitlements: .bytes(
        TemporaryVault.plist("com.example.pro", groups: ["~com.example.pro", "~com.example.purchases"])))
    let free = try pro.reopened(
      as: .bytes(TemporaryVault.plist("com.example.free", readOnly: ["~com.example.purchases"])))
    try pro.set("private", for: name)
    try pro.set("bought", for: name, in: "com.example.purchases")
    #expect(try free.string(for: name) == "bought")
    #expect(code { _ = try free.string(for: name, in: "com.example.pro") } == .notEntitled)
    #expect(code { try free.set("forged", for: name, in: "com.example.purchases") } == .notEntitled)
    // A plist that was extended since is refused, as in a folder.
    let more = TemporaryVault.plist("com.example.free", groups: ["~com.example.pro"])
    #expect(code { _ = try pro.reopened(as: .bytes(more)) } == .notEntitled)
  }

  @Test func `A process whose vaults are in memory needs no plist, and Vault.open() opens one vault`() async {
    await #expect(processExitsWith: .success) {
      unsafe setenv("COFFER_VAULT", ":memory:", 1)
      let name = GenericPassword(service: "s", account: "a")
      let vault = try Vault.open()
      #expect(try vault.accessGroups.count == 1)
      try vault.set("v", for: name)
      #expect(try Vault.open().string(for: name) == "v")
      #expect(try Vault.default.string(for: name) == "v")
      #expect(try Vault.inMemory().list(GenericPassword.self).items.isEmpty)
      let other = try Vault.open(.bytes(TemporaryVault.plist("com.example.other")))
      #expect(try other.list(GenericPassword.self).items.isEmpty)
    }
  }

  @Test func `A team prefix in the plist of the first app is that of every name, also for apps with another`() throws {
    func plist(_ application: String, _ groups: [String], prefix: String) -> EntitlementsSource {
      let text = String(decoding: TemporaryVault.plist(application, groups: groups), as: UTF8.self)
      return .bytes(Array(text.replacingOccurrences(of: "$(AppIdentifierPrefix)", with: prefix).utf8))
    }
    let shared = "com.example.shared"
    let first = try Vault.inMemory(entitlements: plist("com.example.one", ["~\(shared)"], prefix: "ABCDE01189."))
    #expect(first.applicationIdentifier == "ABCDE01189.com.example.one")
    #expect(try first.accessGroups.map(\.name) == ["ABCDE01189.\(shared)", "ABCDE01189.com.example.one"])
    #expect(try first.defaultAccessGroup == "ABCDE01189.\(shared)")
    try first.set("1", for: name)
    #expect(try first.list(GenericPassword.self).items.map(\.accessGroup) == ["ABCDE01189.\(shared)"])
    for prefix in ["ZZZZZ00000.", "$(AppIdentifierPrefix)"] {
      let second = try first.reopened(as: plist("com.example.two", ["~\(shared)"], prefix: prefix))
      #expect(second.applicationIdentifier == "ABCDE01189.com.example.two")
      for group in [shared, "ABCDE01189.\(shared)", "ZZZZZ00000.\(shared)", "$(AppIdentifierPrefix)\(shared)"] {
        #expect(try second.string(for: name, in: group) == "1", "\(group)")
      }
    }
    let listed = try Vault.inMemory(
      entitlements: .bytes(
        TemporaryVault.plist("com.example.one", groups: ["ABCDE01189.\(shared)"])))
    #expect(try listed.defaultAccessGroup == "ABCDE01189.\(shared)")
    #expect(listed.applicationIdentifier == "ABCDE01189.com.example.one")
  }

  @Test(arguments: [
    (VaultFault.locked, VaultError.Code.locked, -25308 as Int32), (.missingEntitlement, .notEntitled, -34018),
    (.corrupt, .integrity, -26275), (.authenticationCancelled, .authenticationCancelled, -128),
  ])
  func `Each injected fault gives its error, changes nothing, and can be removed`(
    fault: VaultFault, expected: VaultError.Code, status: Int32
  ) throws {
    let vault = try Vault.inMemory(entitlements: .bytes(TemporaryVault.plist("com.example.one")))
    try vault.set("1", for: name)
    try vault.inject(fault)
    #expect(failure { _ = try vault.value(for: name) }?.osStatus == status)
    #expect(code { try vault.set("2", for: name) } == expected)
    try vault.inject(nil)
    #expect(try vault.string(for: name) == "1")
  }

  @Test func `A full disk prevents writes but not reads`() throws {
    let vault = try Vault.inMemory(entitlements: .bytes(TemporaryVault.plist("com.example.one")))
    try vault.set("1", for: name)
    try vault.inject(.diskFull)
    #expect(failure { try vault.set("2", for: name) }?.osStatus == -34)
    #expect(code { try vault.delete(name) } == .diskFull)
    #expect(try vault.string(for: name) == "1")
  }

  @Test func `A vault in a folder refuses injected faults`() throws {
    let vault = try TemporaryVault().app("com.example.one")
    #expect(code { try vault.inject(.diskFull) } == .invalidArgument)
    #expect(code { _ = try vault.reopened(as: .bytes(TemporaryVault.plist("com.example.one"))) } == .invalidArgument)
  }
}
