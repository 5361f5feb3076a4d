import Security
import Testing

/// The ways to build a query, with real calls.
@Suite(.keychain) struct QueryIdiomTests {
  /// Finds the password of ada at example, which each test has stored in a different way.
  private func password() -> String? {
    let query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "example",
      kSecAttrAccount as String: "ada", kSecReturnData as String: true,
    ]
    var item: CFTypeRef?
    guard SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess, let data = item as? Data else {
      return nil
    }
    return String(data: data, encoding: .utf8)
  }

  @Test func `A dictionary of CFString keys stores and finds`() {
    let attributes: [CFString: Any] = [
      kSecClass: kSecClassGenericPassword, kSecAttrService: "example", kSecAttrAccount: "ada",
      kSecValueData: "secret".data(using: .utf8)!,
    ]
    #expect(SecItemAdd(attributes as CFDictionary, nil) == errSecSuccess)
    #expect(password() == "secret")
    let query: [CFString: Any] = [
      kSecClass: kSecClassGenericPassword, kSecAttrAccount: "ada", kSecMatchLimit: kSecMatchLimitOne,
      kSecReturnData: kCFBooleanTrue!,
    ]
    var item: CFTypeRef?
    #expect(SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess)
    #expect(item as? Data == Data("secret".utf8))
  }

  @Test func `A dictionary of String keys stores, changes and deletes`() {
    var query = [String: Any]()
    query[kSecClass as String] = kSecClassGenericPassword
    query[kSecAttrService as String] = "example"
    query[kSecAttrAccount as String] = "ada"
    var item = query
    item[kSecValueData as String] = Data("secret".utf8)
    #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
    let changes = [kSecValueData as String: Data("changed".utf8)]
    #expect(SecItemUpdate(query as CFDictionary, changes as CFDictionary) == errSecSuccess)
    #expect(password() == "changed")
    #expect(SecItemDelete(query as CFDictionary) == errSecSuccess)
    #expect(password() == nil)
  }

  @Test func `A dictionary of objects stores and finds`() {
    var attributes: [String: AnyObject] = [
      kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "example" as AnyObject,
      kSecAttrAccount as String: "ada" as NSString,
    ]
    attributes[kSecValueData as String] = Data("secret".utf8) as AnyObject
    attributes[kSecAttrIsInvisible as String] = kCFBooleanFalse
    attributes[kSecAttrCreator as String] = 7 as AnyObject
    #expect(SecItemAdd(attributes as CFDictionary, nil) == errSecSuccess)
    #expect(password() == "secret")
    attributes[kSecValueData as String] = nil
    attributes[kSecReturnAttributes as String] = kCFBooleanTrue
    var item: AnyObject?
    #expect(SecItemCopyMatching(attributes as CFDictionary, &item) == errSecSuccess)
    #expect((item as? [String: AnyObject])?[kSecAttrCreator as String] as? Int == 7)
  }

  @Test func `A mutable NSDictionary stores and finds`() {
    let attributes = NSMutableDictionary()
    attributes.setObject(kSecClassGenericPassword, forKey: kSecClass as NSCopying)
    attributes.setObject("ada", forKey: kSecAttrAccount as NSString)
    attributes.setValue("example", forKey: kSecAttrService as String)
    attributes[kSecValueData as String] = Data("secret".utf8)
    #expect(SecItemAdd(attributes, nil) == errSecSuccess)
    attributes.removeObject(forKey: kSecValueData)
    attributes[kSecReturnData] = true
    var item: CFTypeRef?
    #expect(SecItemCopyMatching(attributes as CFDictionary, &item) == errSecSuccess)
    #expect(item as? Data == Data("secret".utf8))
    #expect(password() == "secret")
  }

  @Test func `A dictionary literal can be an argument of the call`() {
    SecItemAdd(
      [
        kSecClass: kSecClassGenericPassword, kSecAttrService: "example", kSecAttrAccount: "ada",
        kSecValueData: Data("secret".utf8),
      ] as CFDictionary, nil)
    #expect(password() == "secret")
    let status = SecItemUpdate(
      [kSecClass: kSecClassGenericPassword, kSecAttrAccount: "ada"] as CFDictionary,
      [kSecValueData: Data("changed".utf8)] as CFDictionary)
    #expect(status == noErr)
    #expect(password() == "changed")
    SecItemDelete([kSecClass: kSecClassGenericPassword] as CFDictionary)
    #expect(password() == nil)
  }

  @Test func `A dictionary of parallel arrays, as in Objective-C, stores and finds`() {
    let attributes = NSDictionary(
      objects: [kSecClassGenericPassword, "example" as NSString, "ada" as NSString, Data("secret".utf8) as NSData],
      forKeys: [
        kSecClass as NSString, kSecAttrService as NSString, kSecAttrAccount as NSString, kSecValueData as NSString,
      ])
    #expect(SecItemAdd(attributes, nil) == errSecSuccess)
    #expect(password() == "secret")
    let query = NSMutableDictionary(
      objects: [kSecClassGenericPassword as NSString, "ada", kCFBooleanTrue!],
      forKeys: [kSecClass as NSString, kSecAttrAccount as NSString, kSecReturnData as NSString])
    var item: AnyObject?
    #expect(SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess)
    #expect(item as? Data == Data("secret".utf8))
  }

  @Test func `Dictionaries cast to NSDictionary and copied store and find`() {
    let attributes: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "example",
      kSecAttrAccount as String: "ada", kSecValueData as String: Data("secret".utf8),
    ]
    #expect(SecItemAdd(attributes as NSDictionary, nil) == errSecSuccess)
    #expect(SecItemAdd(NSDictionary(dictionary: attributes), nil) == errSecDuplicateItem)
    #expect(SecItemAdd(NSMutableDictionary(dictionary: attributes), nil) == errSecDuplicateItem)
    #expect(SecItemAdd((attributes as NSDictionary).mutableCopy() as! NSMutableDictionary, nil) == errSecDuplicateItem)
    #expect(password() == "secret")
  }

  @Test func `One dictionary may have keys of every kind`() {
    let attributes: [AnyHashable: Any] = [
      kSecClass: kSecClassGenericPassword, kSecAttrService as String: "example" as CFString,
      String(kSecAttrAccount): "ada" as NSString, "v_Data": Data("secret".utf8) as NSData,
    ]
    #expect(SecItemAdd(attributes as CFDictionary, nil) == errSecSuccess)
    #expect(password() == "secret")
    let nsStrings: [NSString: Any] = [
      kSecClass: kSecClassGenericPassword as String, kSecAttrAccount: NSString(string: "ada"),
    ]
    #expect(SecItemDelete(nsStrings as CFDictionary) == errSecSuccess)
  }

  @Test func `The names of the attributes work without their constants`() {
    let attributes: [String: Any] = [
      "class": "genp", "svce": "example", "acct": "ada", "v_Data": Data("secret".utf8), "pdmn": "ck", "nleg": true,
    ]
    #expect(SecItemAdd(attributes as CFDictionary, nil) == errSecSuccess)
    #expect(password() == "secret")
    var item: CFTypeRef?
    SecItemCopyMatching(["class": "genp", "r_Attributes": true] as CFDictionary, &item)
    let found = item as? [CFString: Any]
    #expect(found?[kSecAttrAccessible] as? String == kSecAttrAccessibleAfterFirstUnlock as String)
  }

  @Test func `A Core Foundation dictionary made from pointers stores and finds`() throws {
    let attributes = try #require(CFDictionaryCreateMutable(kCFAllocatorDefault, 0, nil, nil))
    let values: [(CFString, CFTypeRef)] = [
      (kSecClass, kSecClassGenericPassword), (kSecAttrService, "example" as CFString),
      (kSecAttrAccount, "ada" as CFString), (kSecValueData, Data("secret".utf8) as CFData),
    ]
    for (key, value) in values {
      CFDictionarySetValue(
        attributes, Unmanaged.passUnretained(key).toOpaque(), Unmanaged.passUnretained(value).toOpaque())
    }
    #expect(SecItemAdd(attributes, nil) == errSecSuccess)
    #expect(password() == "secret")
  }

  @Test func `A common query is merged with the additions of each call`() {
    func base(_ account: String?) -> [CFString: Any] {
      var query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "example"]
      if let account { query[kSecAttrAccount] = account }
      return query
    }
    let attributes = base("ada").merging([
      kSecValueData: Data("secret".utf8), kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked,
    ]) { _, new in new }
    #expect(SecItemAdd(attributes as CFDictionary, nil) == errSecSuccess)
    var query = base(nil)
    query.merge([kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne], uniquingKeysWith: { $1 })
    var item: AnyObject?
    #expect(SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess)
    #expect(item as? Data == Data("secret".utf8))
    #expect(SecItemDelete(base("bob") as CFDictionary) == errSecItemNotFound)
  }

  @Test(arguments: [
    true as Any, kCFBooleanTrue!, kCFBooleanTrue as Any, NSNumber(value: true), true as NSNumber, true as AnyObject,
  ])
  func `Every kind of true requests the data`(_ yes: Any) {
    let attributes: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: "ada",
      kSecValueData as String: Data("secret".utf8),
    ]
    #expect(SecItemAdd(attributes as CFDictionary, nil) == errSecSuccess)
    var query: [String: Any] = [kSecClass as String: kSecClassGenericPassword]
    query[kSecReturnData as String] = yes
    var item: CFTypeRef?
    #expect(SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess)
    #expect(item as? Data == Data("secret".utf8))
  }

  @Test func `Strings of every kind are the same account`() {
    func add(_ account: Any) -> OSStatus {
      let attributes: [CFString: Any] = [
        kSecClass: kSecClassGenericPassword, kSecAttrAccount: account, kSecValueData: Data("secret".utf8),
      ]
      return SecItemAdd(attributes as CFDictionary, nil)
    }
    let text = "grace.ada"
    #expect(add("ada") == errSecSuccess)
    #expect(add("ada" as CFString) == errSecDuplicateItem)
    #expect(add(NSMutableString(string: "ada")) == errSecDuplicateItem)
    #expect(add(String(text.dropFirst(6))) == errSecDuplicateItem)
    #expect(add(Data("ada".utf8)) == errSecDuplicateItem)
    #expect(add("Ada") == errSecSuccess)
  }

  @Test func `A query is a value: a used dictionary can be changed and used again`() {
    var query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "example"]
    for account in ["ada", "bob", "eve"] {
      query[kSecAttrAccount] = account
      query[kSecValueData] = Data(account.utf8)
      #expect(SecItemAdd(query as CFDictionary, nil) == errSecSuccess)
    }
    query.removeValue(forKey: kSecValueData)
    query[kSecReturnData] = true
    for account in ["eve", "ada", "bob"] {
      query.updateValue(account, forKey: kSecAttrAccount)
      var item: CFTypeRef?
      #expect(SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess)
      #expect(item as? Data == Data(account.utf8))
    }
  }

  @Test func `Queries of arrays and of recreated constants, as in older code, store and find`() {
    let kSecClassValue = NSString(format: kSecClass)
    let kSecAttrAccountValue = NSString(format: kSecAttrAccount)
    let kSecAttrServiceValue = NSString(format: kSecAttrService)
    let kSecValueDataValue = NSString(format: kSecValueData)
    let kSecClassGenericPasswordValue = NSString(format: kSecClassGenericPassword)
    let data = "secret".data(using: .utf8, allowLossyConversion: false)! as NSData
    let attributes = NSMutableDictionary(
      objects: [kSecClassGenericPasswordValue, "example" as NSString, "ada" as NSString, data],
      forKeys: [kSecClassValue, kSecAttrServiceValue, kSecAttrAccountValue, kSecValueDataValue])
    #expect(SecItemAdd(attributes as CFDictionary, nil) == errSecSuccess)
    #expect(password() == "secret")
  }

  @Test func `Dictionaries of objects as keys and of references as values store and find`() {
    let objects: [NSObject: AnyObject] = [
      kSecClass: kSecClassGenericPassword, kSecAttrService: "example" as AnyObject, kSecAttrAccount: "ada" as NSString,
      kSecValueData: Data("secret".utf8) as NSData,
    ]
    #expect(SecItemAdd(objects as CFDictionary, nil) == errSecSuccess)
    #expect(password() == "secret")
    let references: [CFString: CFTypeRef] = [
      kSecClass: kSecClassGenericPassword, kSecReturnData: kCFBooleanTrue, kSecMatchLimit: 1 as CFNumber,
      kSecAttrAccount: "ada" as CFString,
    ]
    var item: CFTypeRef?
    #expect(SecItemCopyMatching(references as CFDictionary, &item) == errSecSuccess)
    #expect(item as? Data == Data("secret".utf8))
    let literal: NSDictionary = [kSecClass: kSecClassGenericPassword, kSecAttrAccount: "ada"]
    #expect(SecItemDelete(literal) == errSecSuccess)
  }

  @Test func `An enum of classes and options builds the query`() {
    enum ItemClass: RawRepresentable {
      case generic, internet

      init?(rawValue: CFString) {
        switch rawValue {
        case kSecClassGenericPassword: self = .generic
        case kSecClassInternetPassword: self = .internet
        default: return nil
        }
      }

      var rawValue: CFString {
        switch self {
        case .generic: return kSecClassGenericPassword
        case .internet: return kSecClassInternetPassword
        }
      }
    }
    enum Option { case itemClass(ItemClass), account(String), service(String), value(Data), matchAll, returnAttributes }
    func query(_ options: Option...) -> CFDictionary {
      var query: [String: Any] = [:]
      for option in options {
        switch option {
        case .itemClass(let itemClass): query[String(kSecClass)] = itemClass.rawValue
        case .account(let name): query[String(kSecAttrAccount)] = name
        case .service(let name): query[String(kSecAttrService)] = name
        case .value(let data): query[String(kSecValueData)] = data
        case .matchAll: query[String(kSecMatchLimit)] = kSecMatchLimitAll
        case .returnAttributes: query[String(kSecReturnAttributes)] = kCFBooleanTrue
        }
      }
      return query as CFDictionary
    }
    let item = query(.itemClass(.generic), .service("example"), .account("ada"), .value(Data("secret".utf8)))
    #expect(SecItemAdd(item, nil) == errSecSuccess)
    #expect(password() == "secret")
    var items: CFTypeRef?
    #expect(SecItemCopyMatching(query(.itemClass(.generic), .matchAll, .returnAttributes), &items) == errSecSuccess)
    let classes = (items as? [[String: Any]])?.compactMap { $0[String(kSecClass)] as? String }
    #expect(classes?.compactMap { ItemClass(rawValue: $0 as CFString) } == [.generic])
  }
}
