internal import Security
internal import Testing

@Suite struct DefaultValueTests {
  @Test func `Missing primary-key attributes are empty, zero and the first moment of 2001`() throws {
    try withKeychain {
      #expect(add([kSecClass: kSecClassGenericPassword]) == errSecSuccess)
      let item = try #require(list([kSecClass: kSecClassGenericPassword]).first)
      #expect(item[kSecAttrAccount] as? Data == Data())
      #expect(item[kSecAttrService] as? Data == Data())
      #expect(add([kSecClass: kSecClassInternetPassword]) == errSecSuccess)
      #expect(list([kSecClass: kSecClassInternetPassword]).first?[kSecAttrPort] as? Int == 0)
      #expect(add([kSecClass: kSecClassKey]) == errSecSuccess)
      let key = list([kSecClass: kSecClassKey]).first
      #expect(key?[kSecAttrStartDate] as? Date == Date(timeIntervalSinceReferenceDate: 0))
      #expect(key?[kSecAttrKeySizeInBits] as? Int == 0)
    }
  }

  @Test func `Other missing attributes are absent`() throws {
    try withKeychain {
      #expect(add(password()) == errSecSuccess)
      let item = try #require(list(password()).first)
      for name in [kSecAttrLabel, kSecAttrComment, kSecAttrGeneric, kSecAttrIsInvisible, kSecAttrType] {
        #expect(item[name] == nil, "\(name)")
      }
      let names = Set(item.keys.map { $0 as String })
      #expect(names == ["class", "agrp", "cdat", "mdat", "pdmn", "accc", "sync", "acct", "svce"])
    }
  }

  @Test func `Creation and modification dates are now, whatever is given`() throws {
    try withKeychain {
      let given = Date(timeIntervalSinceReferenceDate: 5)
      let before = Date()
      #expect(
        add(password("jane", [kSecAttrCreationDate: given, kSecAttrModificationDate: given])) == errSecSuccess)
      let item = try #require(list(password()).first)
      let created = try #require(item[kSecAttrCreationDate] as? Date)
      #expect(item[kSecAttrModificationDate] as? Date == created)
      // The vault stores microseconds.
      #expect(created >= before - 0.001 && created <= Date() + 0.001)
    }
  }

  @Test func `Items are accessible when unlocked, certificates always`() throws {
    try withKeychain {
      for itemClass in [kSecClassGenericPassword, kSecClassInternetPassword, kSecClassKey, kSecClassCertificate] {
        #expect(add([kSecClass: itemClass]) == errSecSuccess)
        let expected = itemClass == kSecClassCertificate ? "dk" : "ak"
        #expect(list([kSecClass: itemClass]).first?[kSecAttrAccessible] as? String == expected)
      }
    }
  }

  @Test func `A missing value is empty`() throws {
    try withKeychain {
      #expect(add(password()) == errSecSuccess)
      #expect(value(password()) == Data())
    }
  }

  @Test func `Attributes are returned in their types`() throws {
    try withKeychain {
      let given: Query = [
        kSecAttrAccount: "jane", kSecAttrService: text("service"), kSecAttrGeneric: Data([0, 255]), kSecAttrLabel: "L",
        kSecAttrComment: 17, kSecAttrIsInvisible: true, kSecAttrIsNegative: false, kSecAttrCreator: 42,
        kSecAttrDescription: "Ä\u{301}",
      ]
      #expect(add(given.merging([kSecClass: kSecClassGenericPassword]) { $1 }) == errSecSuccess)
      let item = try #require(list([kSecClass: kSecClassGenericPassword]).first)
      #expect(item[kSecClass] as? String == "genp")
      #expect(item[kSecAttrAccount] as? String == "jane")
      #expect(item[kSecAttrService] as? Data == text("service"))
      #expect(item[kSecAttrGeneric] as? Data == Data([0, 255]))
      #expect(item[kSecAttrComment] as? Int == 17)
      #expect(item[kSecAttrIsInvisible] as? Int == 1)
      #expect(item[kSecAttrIsInvisible] as? Bool == true)
      #expect(item[kSecAttrIsNegative] as? Int == 0)
      #expect(item[kSecAttrCreator] as? Int == 42)
      // Compared as bytes: Swift's equality would equate two spellings.
      #expect(
        (item[kSecAttrDescription] as? String).map { Array($0.unicodeScalars) } == Array("Ä\u{301}".unicodeScalars))
      #expect(item[kSecAttrSynchronizable] as? Bool == false)
      let control = try #require(item[kSecAttrAccessControl])
      #expect(CFGetTypeID(control as AnyObject) == SecAccessControlGetTypeID())
    }
  }
}
