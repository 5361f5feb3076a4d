internal import Coffer
internal import Security
internal import Testing

@Suite struct AccessGroupTests {
  private let all: Query = [kSecClass: kSecClassGenericPassword]

  @Test func `An item without a group goes to the first of the entitlements`() throws {
    let keychain = try TemporaryKeychain()
    try keychain.run {
      #expect(add(password()) == errSecSuccess)
      let own = try keychain.fullName(TemporaryKeychain.own)
      #expect(list(password()).first?[kSecAttrAccessGroup] as? String == own)
    }
  }

  @Test func `A search without a group, and one with a star, covers all groups of the caller`() throws {
    try withKeychain {
      #expect(add(password("a")) == errSecSuccess)
      #expect(add(password("b", [kSecAttrAccessGroup: TemporaryKeychain.shared])) == errSecSuccess)
      #expect(list(all).count == 2)
      #expect(list(all.merging([kSecAttrAccessGroup: "*"]) { $1 }).count == 2)
      #expect(list(all.merging([kSecAttrAccessGroup: TemporaryKeychain.shared]) { $1 }).count == 1)
      #expect(delete(all.merging([kSecAttrAccessGroup: "*"]) { $1 }) == errSecSuccess)
      #expect(list(all).isEmpty)
    }
  }

  @Test func `A group is given by its full name, with the variable, or without the prefix`() throws {
    let keychain = try TemporaryKeychain()
    try keychain.run {
      let full = try keychain.fullName(TemporaryKeychain.shared)
      for (index, name) in [full, "$(AppIdentifierPrefix)\(TemporaryKeychain.shared)", TemporaryKeychain.shared]
        .enumerated()
      {
        #expect(add(password("\(index)", [kSecAttrAccessGroup: name])) == errSecSuccess)
        #expect(list(password("\(index)")).first?[kSecAttrAccessGroup] as? String == full)
      }
    }
  }

  @Test func `A prefix that is written in the plist is replaced by the vault's own`() throws {
    let plist = String(
      decoding: TemporaryKeychain.plist(TemporaryKeychain.own, groups: [TemporaryKeychain.shared]), as: UTF8.self
    )
    .replacingOccurrences(of: "$(AppIdentifierPrefix)", with: "ABCDE12345.")
    let vault = try Vault.inMemory(entitlements: .bytes(Array(plist.utf8)))
    try vault.asDefault {
      #expect(add(password("jane", [kSecAttrAccessGroup: "ABCDE12345.\(TemporaryKeychain.shared)"])) == errSecSuccess)
      let group = try #require(list(password()).first?[kSecAttrAccessGroup] as? String)
      #expect(try vault.accessGroups.map(\.name).contains(group))
    }
  }

  @Test func `In memory any prefix that is written in the plist is replaced by the vault's own`() throws {
    try withKeychain {
      let group: Query = [kSecAttrAccessGroup: "ABCDE12345.\(TemporaryKeychain.shared)"]
      #expect(add(password("jane", group)) == errSecSuccess)
      #expect(list(password("jane", [kSecAttrAccessGroup: TemporaryKeychain.shared])).count == 1)
      #expect(
        add(password("jane", [kSecAttrAccessGroup: "ABCDE12345.com.example.foreign"])) == errSecMissingEntitlement)
      #expect(SecCopyLastErrorExplanation()?.contains("COFFER_ENTITLEMENTS") == true)
    }
  }

  @Test func `A group that the caller does not have is errSecMissingEntitlement, in every call`() throws {
    try withKeychain {
      #expect(add(password()) == errSecSuccess)
      let foreign: Query = [kSecAttrAccessGroup: "com.example.foreign"]
      #expect(add(password("joe", foreign)) == errSecMissingEntitlement)
      #expect(copy(password("jane", foreign)).status == errSecMissingEntitlement)
      #expect(update(password("jane", foreign), [kSecAttrLabel: "x"]) == errSecMissingEntitlement)
      #expect(delete(password("jane", foreign)) == errSecMissingEntitlement)
      #expect(update(password(), foreign) == errSecMissingEntitlement)
      let explanation = try #require(SecCopyLastErrorExplanation() as String?)
      #expect(explanation.contains("com.example.foreign"))
      #expect(list(password()).count == 1)
    }
  }

  @Test func `A star is not a group to add to`() throws {
    try withKeychain {
      #expect(add(password("jane", [kSecAttrAccessGroup: "*"])) == errSecMissingEntitlement)
      #expect(add(password()) == errSecSuccess)
      #expect(update(password(), [kSecAttrAccessGroup: "*"]) == errSecMissingEntitlement)
    }
  }

  @Test func `An update moves an item between groups, but not onto another item`() throws {
    try withKeychain {
      #expect(add(password("jane", [kSecValueData: text("v")])) == errSecSuccess)
      #expect(update(password(), [kSecAttrAccessGroup: TemporaryKeychain.shared]) == errSecSuccess)
      #expect(copy(password("jane", [kSecAttrAccessGroup: TemporaryKeychain.own])).status == errSecItemNotFound)
      #expect(value(password("jane", [kSecAttrAccessGroup: TemporaryKeychain.shared])) == text("v"))
      #expect(add(password()) == errSecSuccess)
      let own = password("jane", [kSecAttrAccessGroup: TemporaryKeychain.own])
      #expect(update(own, [kSecAttrAccessGroup: TemporaryKeychain.shared]) == errSecDuplicateItem)
    }
  }

  @Test func `A read-only group can be found and not written`() throws {
    let keychain = try TemporaryKeychain()
    let readable: Query = [kSecAttrAccessGroup: TemporaryKeychain.readOnly]
    try keychain.run(as: "com.example.writer", groups: [TemporaryKeychain.readOnly]) {
      #expect(add(password("jane", readable.merging([kSecValueData: text("paid")]) { $1 })) == errSecSuccess)
    }
    try keychain.run {
      #expect(value(password()) == text("paid"))
      #expect(add(password("joe", readable)) == errSecMissingEntitlement)
      #expect(update(password("jane", readable), [kSecAttrLabel: "x"]) == errSecMissingEntitlement)
      #expect(delete(password("jane", readable)) == errSecMissingEntitlement)
      // Without a group they skip it.
      #expect(update(password(), [kSecAttrLabel: "x"]) == errSecItemNotFound)
      #expect(delete(password()) == errSecItemNotFound)
      #expect(value(password()) == text("paid"))
    }
  }

  @Test func `Two apps share a group and nothing else`() throws {
    let keychain = try TemporaryKeychain()
    try keychain.run {
      #expect(add(password("own")) == errSecSuccess)
      #expect(add(password("shared", [kSecAttrAccessGroup: TemporaryKeychain.shared])) == errSecSuccess)
    }
    try keychain.run(as: "com.example.other", groups: ["com.example.other", TemporaryKeychain.shared]) {
      #expect(list(all).compactMap { $0[kSecAttrAccount] as? String } == ["shared"])
      #expect(copy(password("own", [kSecAttrAccessGroup: TemporaryKeychain.own])).status == errSecMissingEntitlement)
    }
    try keychain.run(as: "com.example.stranger", groups: []) {
      #expect(copy(all).status == errSecItemNotFound)
    }
  }
}
