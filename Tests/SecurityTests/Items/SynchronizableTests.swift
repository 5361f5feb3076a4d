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

  @Test func `Neither a ThisDeviceOnly item nor an access control can have the flag`() throws {
    try withKeychain(passphrase: "correct") {
      let control = try accessControl(kSecAttrAccessibleWhenUnlocked, .userPresence)
      let contradictions: [Query] = [
        [kSecAttrAccessible: kSecAttrAccessibleWhenUnlockedThisDeviceOnly], [kSecAttrAccessControl: control],
      ]
      for contradiction in contradictions {
        #expect(add(password("jane", contradiction.merging([kSecAttrSynchronizable: true]) { $1 })) == errSecParam)
      }
      #expect(add(password("jane", [kSecAttrSynchronizable: true])) == errSecSuccess)
      for contradiction in contradictions {
        #expect(update(password("jane", [kSecAttrSynchronizable: true]), contradiction) == errSecParam)
      }
      #expect(add(password("joe", contradictions[0])) == errSecSuccess)
      #expect(update(password("joe"), [kSecAttrSynchronizable: true]) == errSecParam)
      // An access control without conditions only states the accessibility.
      let plain = try accessControl(kSecAttrAccessibleWhenUnlocked, [])
      #expect(add(password("jim", [kSecAttrSynchronizable: true, kSecAttrAccessControl: plain])) == errSecSuccess)
    }
  }
}
