internal import Security
internal import Testing

@Suite struct UpdateTests {
  private let all: Query = [kSecClass: kSecClassGenericPassword]

  @Test func `Every match is changed`() throws {
    try withKeychain {
      for account in ["a", "b"] { #expect(add(password(account)) == errSecSuccess) }
      #expect(update(all, [kSecAttrComment: "changed", kSecValueData: text("new")]) == errSecSuccess)
      #expect(list(all).map { $0[kSecAttrComment] as? String } == ["changed", "changed"])
      #expect(value(password("a")) == text("new"))
    }
  }

  @Test func `An update without a match is errSecItemNotFound`() throws {
    try withKeychain { #expect(update(password(), [kSecAttrLabel: "x"]) == errSecItemNotFound) }
  }

  @Test func `Unnamed attributes, value and creation date are unchanged`() throws {
    try withKeychain {
      #expect(add(password("jane", [kSecAttrComment: "c", kSecValueData: text("v")])) == errSecSuccess)
      let before = try #require(list(password()).first)
      #expect(update(password(), [kSecAttrLabel: "l"]) == errSecSuccess)
      let after = try #require(list(password()).first)
      #expect(after[kSecAttrComment] as? String == "c")
      #expect(after[kSecAttrCreationDate] as? Date == before[kSecAttrCreationDate] as? Date)
      #expect(value(password()) == text("v"))
    }
  }

  @Test func `The modification date never decreases, and callers cannot set the dates`() throws {
    try withKeychain {
      #expect(add(password()) == errSecSuccess)
      let before = try #require(list(password()).first)
      let old = Date(timeIntervalSinceReferenceDate: 5)
      #expect(update(password(), [kSecAttrModificationDate: old, kSecAttrCreationDate: old]) == errSecSuccess)
      let after = try #require(list(password()).first)
      let (first, second) = (before[kSecAttrModificationDate] as? Date, after[kSecAttrModificationDate] as? Date)
      #expect(try #require(second) >= #require(first))
      #expect(after[kSecAttrCreationDate] as? Date == before[kSecAttrCreationDate] as? Date)
    }
  }

  @Test func `A collision is errSecDuplicateItem and changes nothing`() throws {
    try withKeychain {
      for account in ["a", "b"] { #expect(add(password(account, [kSecAttrComment: account])) == errSecSuccess) }
      #expect(update(password("a"), [kSecAttrAccount: "b", kSecAttrComment: "x"]) == errSecDuplicateItem)
      #expect(update(all, [kSecAttrAccount: "c", kSecAttrComment: "x"]) == errSecDuplicateItem)
      #expect(Set(list(all).compactMap { $0[kSecAttrComment] as? String }) == ["a", "b"])
      #expect(copy(password("c")).status == errSecItemNotFound)
    }
  }

  @Test func `A new primary key renames the item and frees the old one`() throws {
    try withKeychain {
      #expect(add(password("a", [kSecValueData: text("v")])) == errSecSuccess)
      #expect(update(password("a"), [kSecAttrAccount: "b"]) == errSecSuccess)
      #expect(copy(password("a")).status == errSecItemNotFound)
      #expect(value(password("b")) == text("v"))
      #expect(add(password("a")) == errSecSuccess)
    }
  }

  @Test func `The class among the new values is errSecNoSuchAttr`() throws {
    try withKeychain {
      #expect(add(password()) == errSecSuccess)
      #expect(update(password(), [kSecClass: kSecClassGenericPassword]) == errSecNoSuchAttr)
    }
  }

  @Test func `The limit and keys of results are ignored in query and new values, as on macOS`() throws {
    try withKeychain {
      for account in ["a", "b"] { #expect(add(password(account)) == errSecSuccess) }
      let search: Query = [
        kSecMatchLimit: kSecMatchLimitOne, kSecReturnData: true, kSecReturnAttributes: "no truth value",
        kSecMatchCaseInsensitive: true, kSecUseAuthenticationUI: kSecUseAuthenticationUIFail,
      ]
      let query = all.merging(search) { $1 }.merging([kSecValueData: "no data either"]) { $1 }
      #expect(update(query, search.merging([kSecAttrComment: "x"]) { $1 }) == errSecSuccess)
      // The limit is stripped too.
      #expect(list(all).compactMap { $0[kSecAttrComment] as? String } == ["x", "x"])
    }
  }

  @Test func `Only the items of a list are updated`() throws {
    try withKeychain {
      for account in ["a", "b"] { #expect(add(password(account, [kSecValueData: text(account)])) == errSecSuccess) }
      let reference = try #require(copy(password("b"), [kSecReturnPersistentRef: true]).result as? Data)
      let query = all.merging([kSecMatchItemList: [reference]]) { $1 }
      #expect(update(query, [kSecValueData: text("new")]) == errSecSuccess)
      #expect(value(password("a")) == text("a"))
      #expect(value(password("b")) == text("new"))
    }
  }

  @Test func `Null removes an attribute`() throws {
    try withKeychain {
      #expect(
        add(password("jane", [kSecAttrComment: "c", kSecAttrLabel: "l", kSecValueData: text("v")])) == errSecSuccess)
      #expect(update(password(), [kSecAttrComment: kCFNull as Any, kSecAttrAccount: kCFNull as Any]) == errSecSuccess)
      let item = try #require(list(all).first)
      #expect(item[kSecAttrComment] == nil)
      #expect(item[kSecAttrAccount] as? Data == Data())
      #expect(item[kSecAttrLabel] as? String == "l")
      #expect(update(all, [kSecValueData: kCFNull as Any]) == errSecSuccess)
      #expect(value(all) == Data())
    }
  }

  @Test func `References among the new values are errSecParam`() throws {
    try withKeychain {
      #expect(add(password()) == errSecSuccess)
      #expect(update(password(), [kSecValuePersistentRef: Data(count: 20)]) == errSecParam)
      #expect(update(password(), [kSecValueRef: "x"]) == errSecParam)
    }
  }

  @Test func `Accessibility can be changed, alone or with an access control`() throws {
    try withKeychain(passphrase: "correct") {
      #expect(add(password("jane", [kSecValueData: text("v")])) == errSecSuccess)
      #expect(update(password(), [kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock]) == errSecSuccess)
      #expect(list(password()).first?[kSecAttrAccessible] as? String == "ck")
      let control = try accessControl(kSecAttrAccessibleWhenUnlockedThisDeviceOnly, .userPresence)
      #expect(update(password(), [kSecAttrAccessControl: control]) == errSecSuccess)
      let item = try #require(list(password()).first)
      #expect(item[kSecAttrAccessible] as? String == "aku")
      #expect(item[kSecAttrAccessControl] as? SecAccessControl == control)
      #expect(copy(password(), [kSecReturnData: true]).status == errSecInteractionNotAllowed)
    }
  }
}
