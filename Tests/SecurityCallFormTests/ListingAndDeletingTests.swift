import Security
import Testing

/// Lists, counts and deletions of many items.
@Suite(.keychain) struct ListingAndDeletingTests {
  private let classes = [
    kSecClassGenericPassword, kSecClassInternetPassword, kSecClassCertificate, kSecClassKey, kSecClassIdentity,
  ]

  @discardableResult
  private func add(_ account: String, service: String = "example", synchronizable: Bool = false) -> OSStatus {
    let attributes: [CFString: Any] = [
      kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: account,
      kSecValueData: Data("password of \(account)".utf8), kSecAttrSynchronizable: synchronizable,
    ]
    return SecItemAdd(attributes as CFDictionary, nil)
  }

  private func count(_ itemClass: CFString = kSecClassGenericPassword, _ more: [CFString: Any] = [:]) -> Int {
    let query: [CFString: Any] = [
      kSecClass: itemClass, kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true,
      kSecAttrSynchronizable: kSecAttrSynchronizableAny,
    ]
    var items: CFTypeRef?
    guard SecItemCopyMatching(query.merging(more) { $1 } as CFDictionary, &items) == errSecSuccess else { return 0 }
    return (items as? [[String: Any]])?.count ?? -1
  }

  private func addOneOfEachClass() throws {
    add("ada")
    let server: [CFString: Any] = [
      kSecClass: kSecClassInternetPassword, kSecAttrServer: "example.com", kSecValueData: Data([1]),
    ]
    #expect(SecItemAdd(server as CFDictionary, nil) == errSecSuccess)
    let parameters: [CFString: Any] = [
      kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 256, kSecAttrIsPermanent: true,
    ]
    _ = try #require(SecKeyCreateRandomKey(parameters as CFDictionary, nil))
  }

  @Test func `All accounts of a service are listed`() throws {
    for account in ["ada", "bob", "eve"] { #expect(add(account) == errSecSuccess) }
    add("mallory", service: "other")
    let query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "example",
      kSecReturnAttributes as String: true, kSecMatchLimit as String: kSecMatchLimitAll,
    ]
    var result: AnyObject?
    let status = SecItemCopyMatching(query as CFDictionary, &result)
    try #require(status == errSecSuccess)
    let accounts = (result as! [[String: Any]]).map { $0[kSecAttrAccount as String] as! String }
    #expect(Set(accounts) == ["ada", "bob", "eve"])
  }

  @Test func `No accounts give an empty list`() throws {
    func accounts() throws -> [String] {
      let query: [CFString: Any] = [
        kSecClass: kSecClassGenericPassword, kSecReturnAttributes: true, kSecMatchLimit: kSecMatchLimitAll,
      ]
      var result: CFTypeRef?
      let status = SecItemCopyMatching(query as CFDictionary, &result)
      if status == errSecItemNotFound { return [] }
      guard status == errSecSuccess else { throw NSError(domain: NSOSStatusErrorDomain, code: Int(status)) }
      return (result as? [NSDictionary] ?? []).compactMap { $0[kSecAttrAccount] as? String }
    }
    #expect(try accounts().isEmpty)
    add("ada")
    #expect(try accounts() == ["ada"])
  }

  @Test func `All keys and values form one dictionary`() throws {
    for account in ["ada", "bob"] { add(account) }
    let query: [CFString: Any] = [
      kSecClass: kSecClassGenericPassword, kSecAttrService: "example", kSecMatchLimit: kSecMatchLimitAll,
      kSecReturnAttributes: kCFBooleanTrue!, kSecReturnData: kCFBooleanTrue!,
    ]
    var result: CFTypeRef?
    #expect(SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess)
    var values: [String: String] = [:]
    for item in try #require(result as? [[String: AnyObject]]) {
      if let key = item[kSecAttrAccount as String] as? String, let data = item[kSecValueData as String] as? Data {
        values[key] = String(data: data, encoding: .utf8)
      }
    }
    #expect(values == ["ada": "password of ada", "bob": "password of bob"])
  }

  @Test func `Items are counted`() {
    #expect(count() == 0)
    for number in 1...30 { add("\(number)") }
    #expect(count() == 30)
    #expect(count(kSecClassGenericPassword, [kSecMatchLimit: 7]) == 7)
    #expect(count(kSecClassGenericPassword, [kSecAttrAccount: "7"]) == 1)
  }

  @Test func `Every item of a service is deleted, and none of another one`() {
    for account in ["ada", "bob"] { add(account) }
    add("ada", service: "other")
    let query = [kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "example"] as CFDictionary
    #expect(SecItemDelete(query) == errSecSuccess)
    #expect(SecItemDelete(query) == errSecItemNotFound)
    #expect(count() == 1)
  }

  @Test func `Every item of a class is deleted, and none of another class`() throws {
    try addOneOfEachClass()
    for account in ["bob", "eve"] { add(account) }
    #expect(SecItemDelete([kSecClass: kSecClassGenericPassword] as CFDictionary) == errSecSuccess)
    #expect(count() == 0)
    #expect(count(kSecClassInternetPassword) == 1)
    #expect(count(kSecClassKey) == 1)
  }

  @Test func `A limit does not restrict a deletion`() {
    for account in ["ada", "bob", "eve"] { add(account) }
    let query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecMatchLimit: kSecMatchLimitOne]
    #expect(SecItemDelete(query as CFDictionary) == errSecSuccess)
    #expect(count() == 0)
  }

  @Test func `Deleting everything covers all classes`() throws {
    try addOneOfEachClass()
    let statuses = classes.map { SecItemDelete([kSecClass as String: $0] as CFDictionary) }
    #expect(statuses == [errSecSuccess, errSecSuccess, errSecItemNotFound, errSecSuccess, errSecItemNotFound])
    #expect(classes.map { count($0) } == [0, 0, 0, 0, 0])
  }

  @Test func `Deleting everything includes synchronizable items only on request`() {
    add("ada")
    add("ada", synchronizable: true)
    #expect(count() == 2)
    var query: [CFString: Any] = [kSecClass: kSecClassGenericPassword]
    #expect(SecItemDelete(query as CFDictionary) == errSecSuccess)
    #expect(count() == 1)
    query[kSecAttrSynchronizable] = kSecAttrSynchronizableAny
    #expect(SecItemDelete(query as CFDictionary) == errSecSuccess)
    #expect(count() == 0)
  }

  @Test func `The first launch deletes the items of an earlier installation`() throws {
    var launchedBefore = false
    func launch() {
      defer { launchedBefore = true }
      guard !launchedBefore else { return }
      for itemClass in classes {
        let status = SecItemDelete(
          [kSecClass: itemClass, kSecAttrSynchronizable: kSecAttrSynchronizableAny] as NSDictionary)
        // There is a key without a certificate.
        let isMissing = itemClass == kSecClassCertificate || itemClass == kSecClassIdentity
        #expect(status == (isMissing ? errSecItemNotFound : errSecSuccess))
      }
    }
    try addOneOfEachClass()
    launch()
    #expect(classes.map { count($0) } == [0, 0, 0, 0, 0])
    add("bob")
    launch()
    #expect(count() == 1)
  }

  @Test func `All but some items are deleted by their persistent references`() throws {
    for account in ["keep", "ada", "bob"] { add(account) }
    let query: [CFString: Any] = [
      kSecClass: kSecClassGenericPassword, kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true,
      kSecReturnPersistentRef: true,
    ]
    var result: CFTypeRef?
    #expect(SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess)
    for item in try #require(result as? [[CFString: Any]]) where item[kSecAttrAccount] as? String != "keep" {
      let reference = try #require(item[kSecValuePersistentRef] as? Data)
      #expect(SecItemDelete([kSecValuePersistentRef: reference] as CFDictionary) == errSecSuccess)
    }
    #expect(count() == 1)
    #expect(count(kSecClassGenericPassword, [kSecAttrAccount: "keep"]) == 1)
  }

  @Test func `Persistent references alone are returned as an array of data`() throws {
    for account in ["ada", "bob"] { add(account) }
    let query: [CFString: Any] = [
      kSecClass: kSecClassGenericPassword, kSecMatchLimit: kSecMatchLimitAll, kSecReturnPersistentRef: true,
    ]
    var result: CFTypeRef?
    #expect(SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess)
    let references = try #require(result as? [Data])
    #expect(Set(references).count == 2)
    let accounts = references.compactMap { reference -> String? in
      var item: CFTypeRef?
      let query: [CFString: Any] = [kSecValuePersistentRef: reference, kSecReturnAttributes: true]
      SecItemCopyMatching(query as CFDictionary, &item)
      return (item as? [CFString: Any])?[kSecAttrAccount] as? String
    }
    #expect(accounts.sorted() == ["ada", "bob"])
  }

  @Test func `The attributes returned for an item are a query that deletes it`() throws {
    for account in ["ada", "bob"] { add(account) }
    let query: [CFString: Any] = [
      kSecClass: kSecClassGenericPassword, kSecAttrAccount: "ada", kSecReturnAttributes: true,
    ]
    var result: CFTypeRef?
    #expect(SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess)
    var found = try #require(result as? [CFString: Any])
    found[kSecClass] = kSecClassGenericPassword
    #expect(SecItemDelete(found as CFDictionary) == errSecSuccess)
    #expect(count() == 1)
  }
}
