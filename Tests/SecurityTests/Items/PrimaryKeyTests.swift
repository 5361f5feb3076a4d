internal import Security
internal import Testing

@Suite struct PrimaryKeyTests {
  /// An item of each class, and another value for each attribute of its primary key.
  static let variations: [(itemClass: String, base: [String: any Sendable], others: [String: any Sendable])] = [
    ("genp", ["acct": "jane", "svce": "api"], ["acct": "joe", "svce": "web"]),
    (
      "inet",
      [
        "acct": "jane", "sdmn": "realm", "srvr": "example.com", "ptcl": "htps", "atyp": "dflt", "port": 443,
        "path": "/a",
      ],
      ["acct": "joe", "sdmn": "other", "srvr": "example.org", "ptcl": "http", "atyp": "httd", "port": 80, "path": "/b"]
    ),
    (
      "cert", ["ctyp": 3, "issr": Data([1]), "slnr": Data([2])], ["ctyp": 1, "issr": Data([7]), "slnr": Data([8])]
    ),
    (
      "keys",
      [
        "kcls": "1", "klbl": Data([1]), "atag": "tag", "crtr": 1, "type": "73", "bsiz": 256, "esiz": 256,
        "sdat": Date(timeIntervalSinceReferenceDate: 10), "edat": Date(timeIntervalSinceReferenceDate: 20),
      ],
      [
        "kcls": "0", "klbl": Data([2]), "atag": "other", "crtr": 2, "type": "42", "bsiz": 384, "esiz": 255,
        "sdat": Date(timeIntervalSinceReferenceDate: 11), "edat": Date(timeIntervalSinceReferenceDate: 21),
      ]
    ),
  ]

  private func item(_ itemClass: String, _ attributes: [String: any Sendable]) -> Query {
    var item: Query = [kSecClass: itemClass]
    for (name, value) in attributes { item[name as CFString] = value }
    return item
  }

  @Test(arguments: variations.indices)
  func `Items that differ in any primary-key attribute are two; the same key is a duplicate`(_ index: Int) throws {
    let (itemClass, base, others) = Self.variations[index]
    try withKeychain {
      #expect(add(item(itemClass, base)) == errSecSuccess)
      #expect(add(item(itemClass, base)) == errSecDuplicateItem)
      for (name, value) in others {
        let other = item(itemClass, base.merging([name: value]) { $1 })
        #expect(add(other) == errSecSuccess, "\(name)")
        #expect(add(other) == errSecDuplicateItem, "\(name)")
      }
      #expect(list([kSecClass: itemClass]).count == 1 + others.count)
    }
  }

  @Test func `Group and synchronizable flag are part of every primary key`() throws {
    try withKeychain {
      #expect(add(password()) == errSecSuccess)
      #expect(add(password("jane", [kSecAttrSynchronizable: true])) == errSecSuccess)
      #expect(add(password("jane", [kSecAttrAccessGroup: TemporaryKeychain.shared])) == errSecSuccess)
      for more: Query in [[:], [kSecAttrSynchronizable: true], [kSecAttrAccessGroup: TemporaryKeychain.shared]] {
        #expect(add(password("jane", more)) == errSecDuplicateItem)
      }
    }
  }

  @Test func `A password's primary key has no generic attribute, label, accessibility, comment or value`()
    throws
  {
    try withKeychain {
      #expect(add(password("jane", [kSecValueData: text("a")])) == errSecSuccess)
      let others: Query = [
        kSecAttrGeneric: "g", kSecAttrLabel: "l", kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock,
        kSecAttrComment: "c", kSecAttrDescription: "d", kSecAttrIsInvisible: true, kSecAttrType: 7,
        kSecValueData: text("b"),
      ]
      for (name, value) in others { #expect(add(password("jane", [name: value])) == errSecDuplicateItem, "\(name)") }
      #expect(value(password()) == text("a"))
    }
  }

  @Test func `A missing, an empty and a zero attribute are the same in a primary key`() throws {
    try withKeychain {
      #expect(add([kSecClass: kSecClassGenericPassword]) == errSecSuccess)
      for empty: Any in ["", Data()] {
        #expect(
          add([kSecClass: kSecClassGenericPassword, kSecAttrAccount: empty, kSecAttrService: empty])
            == errSecDuplicateItem)
      }
      #expect(add([kSecClass: kSecClassInternetPassword]) == errSecSuccess)
      #expect(add([kSecClass: kSecClassInternetPassword, kSecAttrPort: 0]) == errSecDuplicateItem)
      #expect(add([kSecClass: kSecClassKey]) == errSecSuccess)
      let first = Date(timeIntervalSinceReferenceDate: 0)
      #expect(add([kSecClass: kSecClassKey, kSecAttrStartDate: first]) == errSecDuplicateItem)
    }
  }
}
