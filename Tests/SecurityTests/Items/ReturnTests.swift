internal import Security
internal import Testing

@Suite struct ReturnTests {
  private func keychain(_ body: () throws -> Void) throws {
    try withKeychain {
      for account in ["a", "b", "c"] {
        #expect(add(password(account, [kSecValueData: text("value \(account)")])) == errSecSuccess)
      }
      try body()
    }
  }

  private let all: Query = [kSecClass: kSecClassGenericPassword]

  @Test func `The limit is one unless another one is given`() throws {
    try keychain {
      #expect(copy(all, [kSecReturnData: true]).result is NSData)
      #expect(copy(all, [kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne]).result is NSData)
      #expect(copy(all, [kSecReturnData: true, kSecMatchLimit: 1]).result is NSData)
    }
  }

  @Test(arguments: [(2, 2), (3, 3), (10, 3), (Int.max, 3)])
  func `A limit above one returns an array`(_ limit: Int, _ expected: Int) throws {
    try keychain {
      let found = copy(all, [kSecReturnData: true, kSecMatchLimit: limit])
      #expect((found.result as? [Data])?.count == expected)
      #expect((copy(password("a"), [kSecReturnData: true, kSecMatchLimit: limit]).result as? [Data])?.count == 1)
    }
  }

  @Test func `All values are returned together`() throws {
    try keychain {
      let found = copy(all, [kSecReturnData: true, kSecMatchLimit: kSecMatchLimitAll]).result as? [Data]
      #expect(Set(found ?? []) == [text("value a"), text("value b"), text("value c")])
    }
  }

  @Test func `A limit of zero finds nothing, and a negative one means all`() throws {
    try keychain {
      for returns: Query in [[:], [kSecReturnData: true], [kSecReturnAttributes: true]] {
        let nothing = copy(all, returns.merging([kSecMatchLimit: 0]) { $1 })
        #expect(nothing.status == errSecItemNotFound && nothing.result == nil)
      }
      for limit in [-1, Int.min] {
        let found = copy(all, [kSecReturnData: true, kSecMatchLimit: limit]).result as? [Data]
        #expect(Set(found ?? []) == [text("value a"), text("value b"), text("value c")])
      }
    }
  }

  @Test func `A limit that is not a whole number is errSecParam`() throws {
    try keychain {
      for limit: Any in [1.5, "3", "m_LimitSome", true] {
        #expect(copy(all, [kSecMatchLimit: limit]).status == errSecParam, "\(limit)")
      }
    }
  }

  @Test func `A search without a match is errSecItemNotFound, with every limit`() throws {
    try keychain {
      for limit: Any in [kSecMatchLimitOne, kSecMatchLimitAll, 5] {
        let (status, result) = copy(password("nobody"), [kSecReturnData: true, kSecMatchLimit: limit])
        #expect(status == errSecItemNotFound)
        #expect(result == nil)
      }
    }
  }

  @Test func `A search that requests nothing succeeds without a result`() throws {
    try keychain {
      for more: Query in [[:], [kSecReturnData: false], [kSecMatchLimit: kSecMatchLimitAll]] {
        let (status, result) = copy(password("a"), more)
        #expect(status == errSecSuccess)
        #expect(result == nil)
      }
      let status = SecItemCopyMatching(password("a", [kSecReturnData: true]) as CFDictionary, nil)
      #expect(status == errSecSuccess)
    }
  }

  @Test func `One requested form is returned alone, several are a dictionary`() throws {
    try keychain {
      #expect(copy(password("a"), [kSecReturnData: true]).result as? Data == text("value a"))
      #expect((copy(password("a"), [kSecReturnPersistentRef: true]).result as? Data)?.count == 20)
      let attributes = copy(password("a"), [kSecReturnAttributes: true]).result as? Query
      #expect(attributes?[kSecAttrAccount] as? String == "a")
      #expect(attributes?[kSecValueData] == nil)
      #expect(attributes?[kSecValuePersistentRef] == nil)
      let both = copy(password("a"), [kSecReturnData: true, kSecReturnPersistentRef: true]).result as? Query
      #expect(both?[kSecValueData] as? Data == text("value a"))
      #expect((both?[kSecValuePersistentRef] as? Data)?.count == 20)
      #expect(both?.count == 2)
      let everything = copy(password("a"), [kSecReturnData: true, kSecReturnAttributes: true]).result as? Query
      #expect(everything?[kSecValueData] as? Data == text("value a"))
      #expect(everything?[kSecAttrAccount] as? String == "a")
    }
  }

  @Test func `A password is not returned as an object`() throws {
    try keychain {
      let (status, result) = copy(password("a"), [kSecReturnRef: true])
      #expect(status == errSecSuccess)
      #expect(result == nil)
      let both = copy(password("a"), [kSecReturnRef: true, kSecReturnData: true]).result as? Query
      #expect(both?.keys.map { $0 as String } == ["v_Data"])
    }
  }

  @Test func `Adding returns the same forms`() throws {
    try keychain {
      var result: CFTypeRef?
      #expect(
        unsafe SecItemAdd(password("d", [kSecReturnData: true, kSecValueData: text("d")]) as CFDictionary, &result) == 0
      )
      #expect(result as? Data == text("d"))
      let item = password("e", [kSecReturnAttributes: true, kSecReturnPersistentRef: true, kSecValueData: text("e")])
      #expect(unsafe SecItemAdd(item as CFDictionary, &result) == errSecSuccess)
      let added = result as? Query
      #expect(added?[kSecAttrAccount] as? String == "e")
      #expect(added?[kSecAttrAccessible] as? String == "ak")
      #expect(added?[kSecValueData] == nil)
      let reference = copy(password("e"), [kSecReturnPersistentRef: true]).result as? Data
      #expect(added?[kSecValuePersistentRef] as? Data == reference)
      #expect(unsafe SecItemAdd(password("f") as CFDictionary, &result) == errSecSuccess)
      #expect(result == nil)
    }
  }

  @Test func `A failed call leaves the result unchanged`() throws {
    try keychain {
      var result: CFTypeRef? = NSString(string: "before")
      #expect(unsafe SecItemCopyMatching(password("nobody") as CFDictionary, &result) == errSecItemNotFound)
      #expect(result as? String == "before")
    }
  }

  @Test func `Results are Foundation's own objects`() throws {
    try keychain {
      let found = copy(all, [kSecReturnAttributes: true, kSecReturnData: true, kSecMatchLimit: kSecMatchLimitAll])
        .result
      let array = try #require(found as? NSArray)
      #expect(CFGetTypeID(array) == CFArrayGetTypeID())
      let dictionary = try #require(array.object(at: 0) as? NSDictionary)
      #expect(dictionary.object(forKey: kSecAttrCreationDate) is Date)
      #expect(dictionary.object(forKey: kSecAttrSynchronizable) is NSNumber)
      #expect(found as? [[String: Any]] != nil)
      #expect(found as? [[CFString: Any]] != nil)
      #expect(found as? [NSDictionary] != nil)
    }
  }
}
