internal import Security
internal import Testing

@Suite struct PersistentReferenceTests {
  private func reference(_ query: Query) throws -> Data {
    try #require(copy(query, [kSecReturnPersistentRef: true]).result as? Data)
  }

  @Test func `A reference is the class and 16 bytes, and determines the class`() throws {
    try withKeychain {
      #expect(add(password("jane", [kSecValueData: text("v")])) == errSecSuccess)
      let reference = try reference(password())
      #expect(reference.count == 20)
      #expect(reference.prefix(4) == text("genp"))
      #expect(value([kSecValuePersistentRef: reference]) == text("v"))
      #expect(value([kSecValuePersistentRef: reference, kSecClass: kSecClassGenericPassword]) == text("v"))
      let other: Query = [kSecValuePersistentRef: reference, kSecClass: kSecClassInternetPassword]
      #expect(copy(other).status == errSecParam)
    }
  }

  @Test func `A reference survives updates, new primary keys and moves`() throws {
    try withKeychain {
      #expect(add(password("jane", [kSecValueData: text("v")])) == errSecSuccess)
      let reference = try reference(password())
      for changes: Query in [
        [kSecValueData: text("w")], [kSecAttrAccount: "joe"], [kSecAttrAccessGroup: TemporaryKeychain.shared],
        [kSecAttrSynchronizable: true], [kSecAttrSynchronizable: false],
        [kSecAttrAccessible: kSecAttrAccessibleWhenUnlockedThisDeviceOnly],
      ] {
        #expect(update([kSecValuePersistentRef: reference], changes) == errSecSuccess, "\(changes)")
        #expect(value([kSecValuePersistentRef: reference]) == text("w"), "\(changes)")
      }
    }
  }

  @Test func `A reference is accepted by Delete, and finds nothing afterwards`() throws {
    try withKeychain {
      #expect(add(password()) == errSecSuccess)
      #expect(add(password("other")) == errSecSuccess)
      let reference = try reference(password())
      #expect(delete([kSecValuePersistentRef: reference]) == errSecSuccess)
      #expect(copy([kSecValuePersistentRef: reference]).status == errSecItemNotFound)
      #expect(update([kSecValuePersistentRef: reference], [kSecAttrLabel: "x"]) == errSecItemNotFound)
      #expect(delete([kSecValuePersistentRef: reference]) == errSecItemNotFound)
      #expect(list(password("other")).count == 1)
    }
  }

  @Test func `Any attribute given with a reference is errSecParam`() throws {
    try withKeychain {
      #expect(add(password()) == errSecSuccess)
      let reference = try reference(password())
      for attribute: Query in [
        [kSecAttrAccount: "jane"], [kSecAttrAccessGroup: TemporaryKeychain.own], [kSecAttrSynchronizable: false],
        [kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked],
      ] {
        let query = attribute.merging([kSecValuePersistentRef: reference]) { $1 }
        #expect(copy(query).status == errSecParam, "\(attribute)")
        #expect(update(query, [kSecAttrLabel: "x"]) == errSecParam, "\(attribute)")
        #expect(delete(query) == errSecParam, "\(attribute)")
      }
      #expect(
        copy([kSecValuePersistentRef: reference, kSecMatchLimit: 1, kSecReturnData: true]).status == errSecSuccess)
    }
  }

  @Test func `Any value of the synchronizable attribute may be given with a reference`() throws {
    try withKeychain {
      for flag in [true, false] {
        #expect(add(password("jane", [kSecAttrSynchronizable: flag, kSecValueData: text("v")])) == errSecSuccess)
        let reference = try reference(password("jane", [kSecAttrSynchronizable: flag]))
        let query: Query = [
          kSecValuePersistentRef: reference, kSecAttrSynchronizable: kSecAttrSynchronizableAny,
        ]
        #expect(value(query) == text("v"))
        #expect(update(query, [kSecValueData: text("w")]) == errSecSuccess)
        #expect(value(query) == text("w"))
        #expect(delete(query) == errSecSuccess)
        #expect(copy(query).status == errSecItemNotFound)
        #expect(add(query) == errSecParam)
      }
    }
  }

  @Test func `Bytes that are not a reference, and an addition by reference, are errSecParam`() throws {
    try withKeychain {
      for bytes: Any in [Data(), text("genp"), text("zzzz") + Data(count: 16), text("genp") + Data(count: 17), "genp"] {
        #expect(copy([kSecValuePersistentRef: bytes]).status == errSecParam)
      }
      #expect(copy([kSecValuePersistentRef: text("genp") + Data(count: 16)]).status == errSecItemNotFound)
      #expect(add([kSecValuePersistentRef: text("genp") + Data(count: 16)]) == errSecParam)
    }
  }

  @Test func `A reference finds a synchronizable item`() throws {
    try withKeychain {
      #expect(add(password("jane", [kSecAttrSynchronizable: true, kSecValueData: text("v")])) == errSecSuccess)
      let reference = try reference(password("jane", [kSecAttrSynchronizable: true]))
      #expect(value([kSecValuePersistentRef: reference]) == text("v"))
    }
  }
}
