internal import Security
internal import Testing

@Suite struct MatchingTests {
  private func count(_ query: Query) -> Int { list(query).count }

  @Test func `Text and bytes are compared by their bytes`() throws {
    try withKeychain {
      #expect(add(password("jané")) == errSecSuccess)
      #expect(add(password(text("jané"))) == errSecDuplicateItem)
      #expect(count(password(text("jané"))) == 1)
      #expect(count(password("jane")) == 0)
      #expect(count(password("JANÉ")) == 0)
      // The same letter as two scalars has other bytes.
      #expect(count(password("jane\u{301}")) == 0)
    }
  }

  @Test func `A number in a text attribute equals only a number`() throws {
    try withKeychain {
      #expect(add(password(5)) == errSecSuccess)
      #expect(count(password(5)) == 1)
      #expect(count(password("5")) == 0)
      #expect(add(password("5")) == errSecSuccess)
      #expect(Set(list([kSecClass: kSecClassGenericPassword]).map { "\($0[kSecAttrAccount]!)" }) == ["5"])
    }
  }

  @Test func `A numeric attribute accepts a number, a Boolean and text that spells a number`() throws {
    try withKeychain {
      let server: Query = [kSecClass: kSecClassInternetPassword, kSecAttrServer: "example.com"]
      #expect(add(server.merging([kSecAttrPort: "80", kSecAttrIsInvisible: "1"]) { $1 }) == errSecSuccess)
      for port: Any in [80, "80", 80.0, NSNumber(value: 80), Int32(80), UInt8(80)] {
        #expect(count(server.merging([kSecAttrPort: port]) { $1 }) == 1, "\(port)")
      }
      #expect(count(server.merging([kSecAttrIsInvisible: true]) { $1 }) == 1)
      #expect(count(server.merging([kSecAttrIsInvisible: false]) { $1 }) == 0)
      #expect(list(server).first?[kSecAttrPort] as? NSNumber == 80)
    }
  }

  @Test func `Text that does not spell a number stays text, for example a protocol`() throws {
    try withKeychain {
      let item: Query = [kSecClass: kSecClassInternetPassword, kSecAttrProtocol: kSecAttrProtocolHTTPS]
      #expect(add(item) == errSecSuccess)
      #expect(list(item).first?[kSecAttrProtocol] as? String == "htps")
      #expect(count([kSecClass: kSecClassInternetPassword, kSecAttrProtocol: kSecAttrProtocolHTTP]) == 0)
    }
  }

  @Test(arguments: ["a truth value", "a fraction", "an array", "a dictionary", "a date"])
  func `A text or number that cannot be stored is errSecParam`(_ what: String) throws {
    let values: [String: Any] = [
      "a fraction": 1.5, "an array": ["x"], "a dictionary": ["x": 1], "a date": Date(), "a truth value": true,
    ]
    let value = try #require(values[what])
    try withKeychain {
      #expect(add(password(value)) == errSecParam)
      #expect(copy(password(value)).status == errSecParam)
      if what != "a truth value" { #expect(add(password("jane", [kSecAttrCreator: value])) == errSecParam) }
      #expect(add([kSecClass: kSecClassKey, kSecAttrStartDate: "2001-01-01"]) == errSecParam)
    }
  }

  @Test func `Attributes without an index narrow a search too`() throws {
    try withKeychain {
      #expect(add(password("a", [kSecAttrComment: "x", kSecAttrType: 1])) == errSecSuccess)
      #expect(add(password("b", [kSecAttrComment: "x", kSecAttrType: 2])) == errSecSuccess)
      let all: Query = [kSecClass: kSecClassGenericPassword]
      #expect(count(all.merging([kSecAttrComment: "x"]) { $1 }) == 2)
      #expect(count(all.merging([kSecAttrComment: "x", kSecAttrType: 2]) { $1 }) == 1)
      #expect(count(all.merging([kSecAttrComment: "y"]) { $1 }) == 0)
      #expect(count(all.merging([kSecAttrComment: ""]) { $1 }) == 0)
    }
  }

  @Test func `A missing attribute is found as empty or null`() throws {
    try withKeychain {
      #expect(add(password("a")) == errSecSuccess)
      #expect(add(password("b", [kSecAttrGeneric: "g"])) == errSecSuccess)
      for empty: Any in ["", Data(), kCFNull as Any] {
        let found = list([kSecClass: kSecClassGenericPassword, kSecAttrGeneric: empty])
        #expect(found.map { $0[kSecAttrAccount] as? String } == ["a"], "\(empty)")
      }
    }
  }

  @Test func `Accessibility narrows a search, access control does not`() throws {
    try withKeychain {
      #expect(add(password("a", [kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock])) == errSecSuccess)
      #expect(add(password("b")) == errSecSuccess)
      let all: Query = [kSecClass: kSecClassGenericPassword]
      #expect(count(all.merging([kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock]) { $1 }) == 1)
      #expect(count(all.merging([kSecAttrAccessible: kSecAttrAccessibleAlways]) { $1 }) == 0)
      let control = try accessControl(kSecAttrAccessibleAlways, .userPresence)
      #expect(count(all.merging([kSecAttrAccessControl: control]) { $1 }) == 2)
    }
  }

  @Test func `Accessibility that contradicts the access control is errSecParam`() throws {
    try withKeychain {
      let control = try accessControl(kSecAttrAccessibleWhenUnlocked, [])
      let conflict: Query = [
        kSecAttrAccessControl: control, kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock,
      ]
      #expect(add(password("jane", conflict)) == errSecParam)
      #expect(copy(password("jane", conflict)).status == errSecParam)
      let agreement: Query = [kSecAttrAccessControl: control, kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked]
      #expect(add(password("jane", agreement)) == errSecSuccess)
    }
  }

  @Test func `A host finds itself and its subdomains, for internet passwords only`() throws {
    try withKeychain {
      for server in ["example.com", "mail.Example.com", "notexample.com", "example.com.evil.org"] {
        #expect(add([kSecClass: kSecClassInternetPassword, kSecAttrServer: server]) == errSecSuccess)
      }
      let found = list([kSecClass: kSecClassInternetPassword, kSecMatchHostOrSubdomainOfHost: "example.com"])
      #expect(Set(found.compactMap { $0[kSecAttrServer] as? String }) == ["example.com", "mail.Example.com"])
      #expect(copy(password(), [kSecMatchHostOrSubdomainOfHost: "example.com"]).status == errSecParam)
    }
  }

  @Test func `A date of validity applies to certificates only`() throws {
    try withKeychain {
      #expect(copy(password(), [kSecMatchValidOnDate: Date()]).status == errSecParam)
      #expect(
        copy([kSecClass: kSecClassCertificate, kSecMatchValidOnDate: kCFNull as Any]).status == errSecItemNotFound)
    }
  }

  @Test func `A list of items narrows a search to its members`() throws {
    try withKeychain {
      var references: [Data] = []
      for account in ["a", "b", "c"] {
        var reference: CFTypeRef?
        let item = password(account, [kSecReturnPersistentRef: true])
        #expect(unsafe SecItemAdd(item as CFDictionary, &reference) == errSecSuccess)
        references.append(try #require(reference as? Data))
      }
      let found = list([kSecClass: kSecClassGenericPassword, kSecMatchItemList: [references[0], references[2]]])
      #expect(Set(found.compactMap { $0[kSecAttrAccount] as? String }) == ["a", "c"])
      #expect(count([kSecClass: kSecClassGenericPassword, kSecMatchItemList: [] as [Data]]) == 0)
      #expect(copy(password(), [kSecMatchItemList: [1]]).status == errSecParam)
      #expect(copy(password(), [kSecMatchItemList: references[0]]).status == errSecParam)
    }
  }
}
