internal import Security
internal import Testing

@Suite struct ParsingTests {
  /// Returns the status of each of the four calls for a dictionary.
  private func statuses(_ query: Query) -> [OSStatus] {
    [add(query), copy(query).status, update(query, [kSecAttrLabel: "x"]), delete(query)]
  }

  @Test func `An attribute of another class is errSecNoSuchAttr`() throws {
    try withKeychain {
      #expect(statuses(password("jane", [kSecAttrServer: "x"])) == Array(repeating: errSecNoSuchAttr, count: 4))
      #expect(
        statuses([kSecClass: kSecClassCertificate, kSecAttrAccount: "x"])
          == Array(repeating: errSecNoSuchAttr, count: 4))
      #expect(add(password()) == errSecSuccess)
      #expect(update(password(), [kSecAttrServer: "x"]) == errSecNoSuchAttr)
    }
  }

  @Test func `An unknown key of four characters is errSecNoSuchAttr, and another one is errSecParam`() throws {
    try withKeychain {
      #expect(statuses(password("jane", ["zzzz" as CFString: "x"])) == Array(repeating: errSecNoSuchAttr, count: 4))
      #expect(statuses(password("jane", ["account" as CFString: "x"])) == Array(repeating: errSecParam, count: 4))
      #expect(statuses(password("jane", ["" as CFString: "x"])) == Array(repeating: errSecParam, count: 4))
    }
  }

  @Test(arguments: ["pref", "nbef", "naft", "stxt", "mail"])
  func `Coffer's own attributes are not accepted by Keychain calls`(_ name: String) throws {
    try withKeychain {
      #expect(add([kSecClass: kSecClassCertificate, name as CFString: Data(count: 16)]) == errSecNoSuchAttr)
      #expect(add([kSecClass: kSecClassCertificate, kSecAttrLabel: "x"]) == errSecSuccess)
      let item = try #require(list([kSecClass: kSecClassCertificate]).first)
      #expect(item[name as CFString] == nil)
    }
  }

  @Test func `A missing class, an empty dictionary and too many keys are errSecParam`() throws {
    try withKeychain {
      #expect(statuses([kSecAttrAccount: "x"]) == Array(repeating: errSecParam, count: 4))
      #expect(statuses([:]) == Array(repeating: errSecParam, count: 4))
      let many = Query(uniqueKeysWithValues: (0..<129).map { ("key\($0)" as CFString, $0) })
      #expect(statuses(many) == Array(repeating: errSecParam, count: 4))
      #expect(add(password()) == errSecSuccess)
      #expect(update(password(), [:]) == errSecParam)
    }
  }

  @Test func `An unknown class is errSecNoSuchClass`() throws {
    try withKeychain {
      for name in ["pass", "", "generic", "GENP"] {
        #expect(statuses([kSecClass: name]) == Array(repeating: errSecNoSuchClass, count: 4), "\(name)")
      }
      #expect(copy([kSecClass: 7]).status == errSecParam)
    }
  }

  @Test func `A key that is not a string is errSecParam`() throws {
    try withKeychain {
      let query = NSMutableDictionary()
      query.setObject(kSecClassGenericPassword, forKey: kSecClass)
      query.setObject("x", forKey: NSNumber(value: 7))
      #expect(SecItemAdd(query, nil) == errSecParam)
      #expect(SecItemCopyMatching(query, nil) == errSecParam)
    }
  }

  @Test func `A return key that is not a Boolean is errSecParam`() throws {
    try withKeychain {
      for name in [kSecReturnData, kSecReturnAttributes, kSecReturnRef, kSecReturnPersistentRef] {
        for value: Any in [1, "yes", kCFNull as Any] {
          #expect(copy(password(), [name: value]).status == errSecParam, "\(name)")
          #expect(add(password("jane", [name: value])) == errSecParam, "\(name)")
        }
      }
      // All of these are Booleans.
      #expect(add(password()) == errSecSuccess)
      for value: Any in [true, kCFBooleanTrue as Any, NSNumber(value: true)] {
        #expect(copy(password(), [kSecReturnData: value]).result as? Data == Data())
      }
    }
  }

  @Test func `A value that is not data is errSecParam`() throws {
    try withKeychain {
      for value: Any in ["secret", 7, ["x"], kCFNull as Any] {
        #expect(add(password("jane", [kSecValueData: value])) == errSecParam)
        #expect(copy(password("jane", [kSecValueData: value])).status == errSecParam)
      }
      #expect(add(password()) == errSecSuccess)
      #expect(update(password(), [kSecValueData: "secret"]) == errSecParam)
    }
  }

  @Test func `A value in a search is ignored`() throws {
    try withKeychain {
      #expect(add(password("jane", [kSecValueData: text("a")])) == errSecSuccess)
      #expect(value(password("jane", [kSecValueData: text("b")])) == text("a"))
    }
  }

  @Test func `The key for the newer keychain of macOS is accepted everywhere`() throws {
    try withKeychain {
      for wish in [true, false] {
        let item = password("jane", [kSecUseDataProtectionKeychain: wish])
        #expect(statuses(item) == [errSecSuccess, errSecSuccess, errSecSuccess, errSecSuccess])
      }
    }
  }

  @Test func `Unsupported keys are refused if they would have an effect`() throws {
    try withKeychain {
      #expect(add(password("jane", [kSecAttrTokenID: kSecAttrTokenIDSecureEnclave])) == errSecUnimplemented)
      #expect(add(password("jane", [kSecAttrSyncViewHint: "x"])) == errSecUnimplemented)
      #expect(add(password()) == errSecSuccess)
      #expect(copy(password("jane", [kSecAttrTokenID: kSecAttrTokenIDSecureEnclave])).status == errSecItemNotFound)
      #expect(copy(password("jane", [kSecMatchPolicy: "x"])).status == errSecUnimplemented)
      #expect(copy(password("jane", [kSecMatchTrustedOnly: true])).status == errSecUnimplemented)
      #expect(copy(password("jane", [kSecMatchTrustedOnly: false])).status == errSecSuccess)
      #expect(copy(password("jane", [kSecUseItemList: [] as [Data]])).status == errSecUnimplemented)
      #expect(copy(password("jane", [kSecMatchSearchList: [] as [Data]])).status == errSecSuccess)
    }
  }

  @Test func `Values of authentication keys have their types`() throws {
    try withKeychain {
      for wrong: Query in [
        [kSecUseAuthenticationContext: "x"], [kSecUseAuthenticationUI: "x"], [kSecUseOperationPrompt: 1],
        [kSecUseNoAuthenticationUI: "x"], [kSecAttrAccessControl: "x"], [kSecAttrAccessGroup: 1],
        [kSecAttrSynchronizable: "maybe"], [kSecAttrAccessible: "never"], [kSecAttrAccessible: 1],
      ] {
        #expect(copy(password("jane", wrong)).status == errSecParam, "\(wrong)")
        #expect(add(password("jane", wrong)) == errSecParam, "\(wrong)")
      }
    }
  }
}
