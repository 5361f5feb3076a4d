internal import Foundation
internal import Security
internal import Testing

/// Compares the page of supported symbols with the sources and with the results of calls.
@Suite struct SupportTableTests {
  private static let sources = Result { (page: try SupportTablePage(), declared: try PublicDeclarations()) }

  private let page: SupportTablePage
  private let declared: PublicDeclarations

  init() throws { (page, declared) = try Self.sources.get() }

  @Test func `The table contains every public symbol of both modules, and nothing else`() {
    #expect(declared.names.count > 700)
    #expect(declared.names.subtracting(page.names).sorted() == [])
    #expect(page.names.subtracting(declared.names).sorted() == [])
  }

  @Test func `Every error has its number`() {
    #expect(declared.numbers.count == 385)
    var numbers = declared.numbers
    numbers["noErr"] = nil
    #expect(page.errorNumbers == numbers)
  }

  // MARK: Attributes

  private static let classes: Set = ["genp", "inet", "cert", "keys", "idnt"]

  /// A value that an attribute accepts, and one that it refuses.
  private func samples(_ type: String) throws -> (right: Any, wrong: Any) {
    switch type {
    case "text": ("x", true)
    case "number": (1, Date())
    case "date": (Date(), "x")
    case "accessibility": (kSecAttrAccessibleWhenUnlocked, "x")
    case "access control": (try accessControl(kSecAttrAccessibleWhenUnlocked, []), "x")
    case "group": (TemporaryKeychain.own, 1)
    default: throw TemporaryKeychain.MissingGroup(name: type)
    }
  }

  @Test func `Each attribute belongs to the listed classes and accepts the listed values`() throws {
    let rows = page.rows.filter { $0.head == "Constant" }
    #expect(rows.count > 40)
    for row in rows {
      let constant = SupportTablePage.names(in: row.cells[0])[0]
      #expect(declared.strings[constant] == row.cells[1])
      let key = NSString(string: row.cells[1])
      let (right, wrong) = try samples(row.cells[3])
      let own = row.cells[2].components(separatedBy: " ")
      #expect(Set(own).isSubset(of: Self.classes))
      for name in Self.classes {
        try withKeychain {
          let query: Query = [kSecClass: name, key: right]
          let found = own.contains(name) ? errSecItemNotFound : errSecNoSuchAttr
          #expect(copy(query).status == found, "\(constant) \(name)")
          #expect(update(query, [kSecAttrLabel: "x"]) == found, "\(constant) \(name)")
          #expect(delete(query) == found, "\(constant) \(name)")
          // An identity is added by its reference only.
          let added = name == "idnt" ? errSecParam : errSecSuccess
          #expect(add(query) == (own.contains(name) ? added : errSecNoSuchAttr), "\(constant) \(name)")
          guard own.contains(name) else { return }
          #expect(copy([kSecClass: name, key: wrong]).status == errSecParam, "\(constant) \(name)")
        }
      }
    }
  }

  @Test func `Each class has the listed attributes if an item is added without any, with the listed values`() throws {
    let rows = page.rows.filter { $0.head == "Attributes of an empty item" }
    #expect(rows.count > 10)
    for (name, accessible) in [("genp", "ak"), ("inet", "ak"), ("cert", "dk"), ("keys", "ak")] {
      try withKeychain {
        let own = rows.filter { $0.cells[1].components(separatedBy: " ").contains(name) }
        #expect(add([kSecClass: name]) == errSecSuccess)
        let item = try #require(list([kSecClass: name]).first)
        var expected: Set = ["class"]
        for row in own {
          for constant in SupportTablePage.names(in: row.cells[0]) {
            let key = try #require(declared.strings[constant])
            expected.insert(key)
            let value = try #require(item[NSString(string: key)], "\(name) \(key)")
            switch row.cells[2] {
            case "empty data": #expect(value as? Data == Data(), "\(name) \(key)")
            case "0": #expect(value as? Int == 0 && value as? Data == nil, "\(name) \(key)")
            case "2001-01-01 00:00 UTC": #expect(value as? Date == Date(timeIntervalSinceReferenceDate: 0))
            case "now": #expect(abs(try #require(value as? Date).timeIntervalSinceNow) < 3600)
            case "the default group": #expect((value as? String)?.hasSuffix(TemporaryKeychain.own) == true)
            case "see below": #expect(value as? String == accessible)
            case "no conditions":
              let control = try #require(value as? SecAccessControl)
              #expect(control == (try accessControl(NSString(string: accessible), [])))
            default: Issue.record("unknown default \(row.cells[2])")
            }
          }
        }
        #expect(Set(item.keys.map { $0 as String }) == expected)
      }
    }
  }

  @Test(arguments: KeyVectors.all.keys)
  func `The flags of each kind of key are the listed ones, in SecKeyCopyAttributes and in a stored key`(
    _ vector: KeyVectors.Key
  ) throws {
    let rows = page.rows.filter { $0.head == "Flag" }
    #expect(rows.count == 16)
    for (key, isPrivate) in [(try vector.privateKey, true), (try vector.publicKey, false)] {
      try withKeychain {
        #expect(add([kSecValueRef: key]) == errSecSuccess)
        let stored = try #require(list([kSecClass: kSecClassKey]).first)
        let described = try #require(SecKeyCopyAttributes(key) as? Query)
        for row in rows {
          let constant = SupportTablePage.names(in: row.cells[0])[0]
          let name = NSString(string: try #require(declared.strings[constant]))
          let expected = row.cells[(vector.isRSA ? 3 : 1) + (isPrivate ? 0 : 1)]
          #expect(["true", "false"].contains(expected))
          #expect(stored[name] as? Int == (expected == "true" ? 1 : 0), "\(constant)")
          #expect(described[name] as? Bool == (expected == "true"), "\(constant)")
          #expect(described[name].map { CFGetTypeID($0 as AnyObject) } == CFBooleanGetTypeID(), "\(constant)")
        }
        // The remaining attributes identify the key, apart from the value.
        let others: Set = ["class", "kcls", "type", "bsiz", "esiz", "klbl", "v_Data"]
        #expect(described.count == rows.count + others.count)
        #expect(others.isSubset(of: described.keys.map { $0 as String }))
      }
    }
  }

  @Test func `The group of tokens is refused, and types of keys that cannot be generated are stored`() throws {
    try withKeychain {
      #expect(add(password("jane", [kSecAttrAccessGroup: kSecAttrAccessGroupToken])) == errSecMissingEntitlement)
      #expect(add([kSecClass: kSecClassKey, kSecAttrKeyType: kSecAttrKeyTypeAES]) == errSecSuccess)
      var error: Unmanaged<CFError>?
      let wish: Query = [kSecAttrKeyType: kSecAttrKeyTypeAES, kSecAttrKeySizeInBits: 256]
      #expect(unsafe SecKeyCreateRandomKey(wish as CFDictionary, &error) == nil)
      #expect(unsafe error?.takeRetainedValue().code == Int(errSecParam))
    }
  }

  // MARK: Other keys

  /// Each call with an invalid value: a key that is used is refused, and other keys are ignored.
  @Test func `Each other key is used, ignored or refused by the functions as listed`() throws {
    let rows = page.rows.filter { $0.head == "Key" }
    #expect(rows.count > 35)
    for row in rows {
      let constant = SupportTablePage.names(in: row.cells[0])[0]
      let key = NSString(string: try #require(declared.strings[constant]))
      for (column, call) in ["add", "copy", "query", "new values", "delete"].enumerated() {
        let said = row.cells[column + 1]
        let expected: OSStatus =
          switch said {
          case "used": errSecParam
          case "ignored": errSecSuccess
          default: try #require(SupportTablePage.names(in: said).first.flatMap { declared.numbers[$0] })
          }
        var more: Query = [key: ["nonsense"]]
        if key == kSecMatchTrustedOnly { more = [key: true] }
        // Ignored, but it must be data.
        if key == kSecValueData, call == "copy" { more = [key: text("another")] }
        try withKeychain {
          if call != "add" { #expect(add(password()) == errSecSuccess) }
          let query = password().merging(more) { $1 }
          let status =
            switch call {
            case "add": add(query)
            case "copy": copy(query).status
            case "query": update(query, [kSecAttrLabel: "x"])
            case "new values": update(password(), more.merging([kSecAttrLabel: "x"]) { $1 })
            default: delete(query)
            }
          #expect(status == expected, "\(constant), \(call)")
        }
      }
    }
  }
}
