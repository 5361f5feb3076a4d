internal import Security
internal import Testing

@Suite struct SynchronizableTests {
  private func keychain(_ body: () throws -> Void) throws {
    try withKeychain {
      #expect(add(password("jane", [kSecValueData: text("here")])) == errSecSuccess)
      #expect(add(password("jane", [kSecAttrSynchronizable: true, kSecValueData: text("there")])) == errSecSuccess)
      try body()
    }
  }

  @Test func `Items with and without the flag coexist, and a search finds those without it by default`() throws {
    try keychain {
      #expect(list(password()).count == 1)
      #expect(value(password()) == text("here"))
      #expect(value(password("jane", [kSecAttrSynchronizable: true])) == text("there"))
      #expect(value(password("jane", [kSecAttrSynchronizable: false])) == text("here"))
      #expect(list(password("jane", [kSecAttrSynchronizable: kSecAttrSynchronizableAny])).count == 2)
    }
  }

  @Test(arguments: [1, 0])
  func `The flag accepts numbers and text that spells them`(_ flag: Int) throws {
    try keychain {
      let expected = flag == 1 ? "there" : "here"
      #expect(value(password("jane", [kSecAttrSynchronizable: flag])) == text(expected))
      #expect(value(password("jane", [kSecAttrSynchronizable: "\(flag)"])) == text(expected))
    }
  }

  @Test func `Update and Delete apply to the same items`() throws {
    try keychain {
      #expect(update(password(), [kSecValueData: text("new")]) == errSecSuccess)
      #expect(value(password("jane", [kSecAttrSynchronizable: true])) == text("there"))
      #expect(delete(password("jane", [kSecAttrSynchronizable: true])) == errSecSuccess)
      #expect(value(password()) == text("new"))
      #expect(add(password("jane", [kSecAttrSynchronizable: true])) == errSecSuccess)
      #expect(delete(password("jane", [kSecAttrSynchronizable: kSecAttrSynchronizableAny])) == errSecSuccess)
      #expect(list(password("jane", [kSecAttrSynchronizable: kSecAttrSynchronizableAny])).isEmpty)
    }
  }

  @Test func `Any counts as unset in Add, and is not a new value`() throws {
    try withKeychain {
      #expect(add(password("jane", [kSecAttrSynchronizable: kSecAttrSynchronizableAny])) == errSecSuccess)
      #expect(list(password()).first?[kSecAttrSynchronizable] as? Bool == false)
      #expect(update(password(), [kSecAttrSynchronizable: kSecAttrSynchronizableAny]) == errSecParam)
    }
  }

  @Test func `The flag can be changed, unless the primary key exists`() throws {
    try keychain {
      #expect(update(password(), [kSecAttrSynchronizable: true]) == errSecDuplicateItem)
      #expect(delete(password()) == errSecSuccess)
      #expect(
        update(password("jane", [kSecAttrSynchronizable: true]), [kSecAttrSynchronizable: false]) == errSecSuccess)
      #expect(value(password()) == text("there"))
    }
  }

  @Test(
    arguments: [
      kSecAttrAccessibleWhenUnlockedThisDeviceOnly, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
      kSecAttrAccessibleAlwaysThisDeviceOnly, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly,
    ].map { $0 as String })
  func `A ThisDeviceOnly item can have the flag, and keeps both attributes`(_ accessible: String) throws {
    try withKeychain(passphrase: "correct") {
      func attributes(_ account: String) throws -> [String?] {
        let item = try #require(list(password(account, [kSecAttrSynchronizable: true])).first)
        return [item[kSecAttrAccessible] as? String, (item[kSecAttrSynchronizable] as? Int).map { "\($0)" }]
      }
      let control = try accessControl(NSString(string: accessible), [])
      #expect(add(password("jane", [kSecAttrSynchronizable: true, kSecAttrAccessible: accessible])) == errSecSuccess)
      #expect(add(password("joe", [kSecAttrSynchronizable: true, kSecAttrAccessControl: control])) == errSecSuccess)
      #expect(add(password("jim", [kSecAttrAccessible: accessible])) == errSecSuccess)
      #expect(update(password("jim"), [kSecAttrSynchronizable: true]) == errSecSuccess)
      #expect(add(password("jill", [kSecAttrSynchronizable: true])) == errSecSuccess)
      #expect(
        update(password("jill", [kSecAttrSynchronizable: true]), [kSecAttrAccessible: accessible]) == errSecSuccess)
      for account in ["jane", "joe", "jim", "jill"] { #expect(try attributes(account) == [accessible, "1"]) }
    }
  }

  @Test func `An item under an access control with conditions cannot have the flag`() throws {
    try withKeychain(passphrase: "correct") {
      let control = try accessControl(kSecAttrAccessibleWhenUnlocked, .userPresence)
      #expect(add(password("jane", [kSecAttrAccessControl: control, kSecAttrSynchronizable: true])) == errSecParam)
      #expect(add(password("jane", [kSecAttrSynchronizable: true])) == errSecSuccess)
      #expect(
        update(password("jane", [kSecAttrSynchronizable: true]), [kSecAttrAccessControl: control]) == errSecParam)
      #expect(add(password("joe", [kSecAttrAccessControl: control])) == errSecSuccess)
      // An access control without conditions only states the accessibility.
      let plain = try accessControl(kSecAttrAccessibleWhenUnlocked, [])
      #expect(add(password("jim", [kSecAttrSynchronizable: true, kSecAttrAccessControl: plain])) == errSecSuccess)
    }
  }
}
