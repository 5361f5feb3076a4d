import Security
import Testing

/// The ways to read the result of a call.
@Suite(.keychain) struct ResultIdiomTests {
  init() {
    for (account, password) in [("ada", "one"), ("bob", "two")] {
      let attributes: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "example",
        kSecAttrAccount as String: account, kSecAttrLabel as String: "Password of \(account)",
        kSecAttrComment as String: "a comment", kSecAttrDescription as String: "a description",
        kSecAttrGeneric as String: Data("generic".utf8), kSecValueData as String: Data(password.utf8),
        kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlock,
      ]
      #expect(SecItemAdd(attributes as CFDictionary, nil) == errSecSuccess)
    }
  }

  private func query(_ more: [CFString: Any]) -> CFDictionary {
    let query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "example"]
    return query.merging(more) { $1 } as CFDictionary
  }

  @Test func `A password is returned through an optional CFTypeRef`() throws {
    var item: CFTypeRef?
    let status = SecItemCopyMatching(query([kSecAttrAccount: "ada", kSecReturnData: true]), &item)
    guard status != errSecItemNotFound else { throw CancellationError() }
    guard status == errSecSuccess else { throw CancellationError() }
    guard let data = item as? Data, let password = String(data: data, encoding: String.Encoding.utf8) else {
      throw CancellationError()
    }
    #expect(password == "one")
  }

  @Test func `A password is returned through withUnsafeMutablePointer`() {
    var result: AnyObject?
    let status = withUnsafeMutablePointer(to: &result) {
      SecItemCopyMatching(query([kSecAttrAccount: "ada", kSecReturnData: true]), UnsafeMutablePointer($0))
    }
    #expect(status == noErr)
    #expect(result as? Data == Data("one".utf8))
    #expect(result as? NSData == Data("one".utf8) as NSData)
  }

  @Test func `A password is returned through memory that the caller allocates`() {
    let pointer = UnsafeMutablePointer<AnyObject?>.allocate(capacity: 1)
    pointer.initialize(to: nil)
    defer {
      pointer.deinitialize(count: 1)
      pointer.deallocate()
    }
    #expect(SecItemCopyMatching(query([kSecAttrAccount: "bob", kSecReturnData: true]), pointer) == errSecSuccess)
    #expect(pointer.pointee as? Data == Data("two".utf8))
  }

  @Test func `Attributes and data are returned as one dictionary`() throws {
    var item: CFTypeRef?
    let asked: [CFString: Any] = [
      kSecAttrAccount: "ada", kSecMatchLimit: kSecMatchLimitOne, kSecReturnAttributes: true, kSecReturnData: true,
    ]
    #expect(SecItemCopyMatching(query(asked), &item) == errSecSuccess)
    guard let existingItem = item as? [String: Any],
      let passwordData = existingItem[kSecValueData as String] as? Data,
      let password = String(data: passwordData, encoding: .utf8),
      let account = existingItem[kSecAttrAccount as String] as? String
    else { throw CancellationError() }
    #expect(password == "one")
    #expect(account == "ada")
    let typed = try #require(item as? [CFString: Any])
    #expect(typed[kSecAttrService] as? String == "example")
    #expect(typed[kSecAttrLabel] as? String == "Password of ada")
    #expect(typed[kSecAttrComment] as? String == "a comment")
    #expect(typed[kSecAttrDescription] as? String == "a description")
    #expect(typed[kSecAttrGeneric] as? Data == Data("generic".utf8))
    #expect(typed[kSecAttrSynchronizable] as? Bool == false)
    let accessible = existingItem[kSecAttrAccessible as String] as! CFString
    #expect(accessible == kSecAttrAccessibleAfterFirstUnlock)
    #expect(CFEqual(accessible, kSecAttrAccessibleAfterFirstUnlock))
    #expect(existingItem[kSecClass as String] as? String == kSecClassGenericPassword as String)
  }

  @Test func `Several items are returned as an array of dictionaries`() throws {
    var item: AnyObject?
    let asked: [CFString: Any] = [
      kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: kCFBooleanTrue!, kSecReturnData: kCFBooleanTrue!,
    ]
    #expect(SecItemCopyMatching(query(asked), &item) == errSecSuccess)
    let strings = try #require(item as? [[String: Any]])
    #expect(Set(strings.compactMap { $0[kSecAttrAccount as String] as? String }) == ["ada", "bob"])
    let typed = try #require(item as? [[CFString: Any]])
    let passwords = typed.compactMap { $0[kSecValueData] as? Data }.map { String(decoding: $0, as: UTF8.self) }
    #expect(passwords.sorted() == ["one", "two"])
    let objects = try #require(item as? [NSDictionary])
    #expect(objects.allSatisfy { $0[kSecAttrService] as? String == "example" })
    let array = try #require(item as? NSArray)
    for element in array {
      #expect((element as? NSDictionary)?.object(forKey: kSecAttrLabel) as? String != nil)
    }
    #expect((item as? Array<Dictionary<String, AnyObject>>)?.count == 2)
  }

  @Test func `Several passwords are returned as an array of data`() {
    var item: CFTypeRef?
    #expect(
      SecItemCopyMatching(query([kSecMatchLimit: kSecMatchLimitAll, kSecReturnData: true]), &item) == errSecSuccess)
    let passwords = (item as? [Data] ?? []).compactMap { String(data: $0, encoding: .utf8) }
    #expect(passwords.sorted() == ["one", "two"])
  }

  @Test func `A limit may be a number, and a limit of one returns no array`() throws {
    func find(_ limit: Any) -> AnyObject? {
      var item: AnyObject?
      #expect(SecItemCopyMatching(query([kSecMatchLimit: limit, kSecReturnAttributes: true]), &item) == errSecSuccess)
      return item
    }
    #expect(find(1) is NSDictionary)
    #expect((find(2) as? NSArray)?.count == 2)
    #expect((find(NSNumber(value: 10)) as? [[String: Any]])?.count == 2)
    #expect(find(kSecMatchLimitOne as String) is [String: Any])
  }

  @Test func `Core Foundation's functions read the parts of a result`() throws {
    var item: CFTypeRef?
    SecItemCopyMatching(query([kSecAttrAccount: "ada", kSecReturnData: true]), &item)
    let found = try #require(item)
    #expect(CFGetTypeID(found) == CFDataGetTypeID())
    let data = found as! CFData
    #expect(CFDataGetLength(data) == 3)
    #expect(CFDataGetBytePtr(data)[0] == UInt8(ascii: "o"))
    let all: [CFString: Any] = [kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true]
    try #require(SecItemCopyMatching(query(all), &item) == errSecSuccess)
    let array = item as! CFArray
    #expect(CFArrayGetCount(array) == 2)
    let first = unsafeBitCast(CFArrayGetValueAtIndex(array, 0), to: CFDictionary.self)
    let pointer = CFDictionaryGetValue(first, Unmanaged.passUnretained(kSecAttrService).toOpaque())
    #expect(unsafeBitCast(pointer, to: CFString.self) as String == "example")
  }

  @Test func `Whether an item exists is checked without a result`() {
    #expect(SecItemCopyMatching(query([kSecAttrAccount: "ada"]), nil) == errSecSuccess)
    #expect(SecItemCopyMatching(query([kSecAttrAccount: "eve"]), nil) == errSecItemNotFound)
    #expect(SecItemCopyMatching(query([kSecAttrAccount: "ada", kSecReturnData: false]), nil) == errSecSuccess)
    #expect(SecItemCopyMatching(query([kSecAttrAccount: "ada", kSecReturnData: true]), nil) == errSecSuccess)
  }

  @Test func `A call that adds an item returns it`() throws {
    var result: AnyObject?
    let attributes: [CFString: Any] = [
      kSecClass: kSecClassGenericPassword, kSecAttrAccount: "eve", kSecValueData: Data("three".utf8),
      kSecReturnAttributes: true, kSecReturnData: true, kSecReturnPersistentRef: true,
    ]
    #expect(SecItemAdd(attributes as CFDictionary, &result) == errSecSuccess)
    let added = try #require(result as? [CFString: Any])
    #expect(added[kSecAttrAccount] as? String == "eve")
    #expect(added[kSecValueData] as? Data == Data("three".utf8))
    #expect(added[kSecValuePersistentRef] as? Data != nil)
    #expect(added[kSecAttrCreationDate] as? Date != nil)
  }

  @Test func `A persistent reference finds, changes and deletes its item`() throws {
    var reference: CFTypeRef?
    let attributes: [CFString: Any] = [
      kSecClass: kSecClassGenericPassword, kSecAttrAccount: "eve", kSecValueData: Data("three".utf8),
      kSecReturnPersistentRef: true,
    ]
    #expect(SecItemAdd(attributes as CFDictionary, &reference) == errSecSuccess)
    let kept = try #require(reference as? Data).base64EncodedString()

    let data = try #require(Data(base64Encoded: kept))
    let query: [CFString: Any] = [kSecValuePersistentRef: data, kSecReturnData: true]
    var item: AnyObject?
    #expect(SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess)
    #expect(item as? Data == Data("three".utf8))
    let update = SecItemUpdate(
      [kSecValuePersistentRef: data] as CFDictionary,
      [kSecAttrAccount: "mallory", kSecValueData: Data("four".utf8)] as CFDictionary)
    #expect(update == errSecSuccess)
    #expect(SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess)
    #expect(item as? Data == Data("four".utf8))
    #expect(SecItemDelete([kSecValuePersistentRef: data as CFData] as CFDictionary) == errSecSuccess)
    #expect(SecItemCopyMatching(query as CFDictionary, &item) == errSecItemNotFound)
  }

  @Test func `Creation and modification dates are returned as Date`() throws {
    func dates() throws -> (created: Date, modified: Date) {
      var item: CFTypeRef?
      SecItemCopyMatching(query([kSecAttrAccount: "ada", kSecReturnAttributes: true]), &item)
      let found = try #require(item as? [String: Any])
      let created = try #require(found[kSecAttrCreationDate as String] as? Date)
      let modified = try #require(found[kSecAttrModificationDate as String] as? NSDate)
      return (created, modified as Date)
    }
    let before = try dates()
    #expect(abs(before.created.timeIntervalSinceNow) < 600)
    let update = SecItemUpdate(query([kSecAttrAccount: "ada"]), [kSecAttrComment: "new"] as CFDictionary)
    #expect(update == errSecSuccess)
    let after = try dates()
    #expect(after.created == before.created)
    #expect(after.modified >= before.modified)
  }

  @Test func `A switch over the result's type matches each form`() {
    func describe(_ more: [CFString: Any]) -> String {
      var item: CFTypeRef?
      let status = SecItemCopyMatching(query(more), &item)
      switch (status, item) {
      case (errSecSuccess, let data as Data): return "data of \(data.count)"
      case (errSecSuccess, let list as [Data]): return "\(list.count) data"
      case (errSecSuccess, let found as [String: Any]): return "attributes of \(found[kSecAttrAccount as String] ?? "")"
      case (errSecSuccess, nil): return "there"
      case (errSecItemNotFound, _): return "not there"
      default: return "\(status)"
      }
    }
    #expect(describe([kSecAttrAccount: "ada", kSecReturnData: true]) == "data of 3")
    #expect(describe([kSecMatchLimit: kSecMatchLimitAll, kSecReturnData: true]) == "2 data")
    #expect(describe([kSecAttrAccount: "bob", kSecReturnAttributes: true]) == "attributes of bob")
    #expect(describe([kSecAttrAccount: "bob"]) == "there")
    #expect(describe([kSecAttrAccount: "eve", kSecReturnData: true]) == "not there")
  }

  @Test func `Results cast to the dictionaries and arrays of older code`() throws {
    var item: CFTypeRef?
    let one: [CFString: Any] = [kSecAttrAccount: "ada", kSecReturnAttributes: true, kSecReturnData: true]
    try #require(SecItemCopyMatching(query(one), &item) == errSecSuccess)
    #expect((item as? [NSString: AnyObject])?[kSecAttrAccount] as? String == "ada")
    #expect((item as? Dictionary<CFString, CFTypeRef>)?[kSecAttrAccount] as? String == "ada")
    #expect((item as? [AnyHashable: AnyObject])?[kSecAttrAccount] as? String == "ada")
    #expect((item as? [NSObject: AnyObject])?[kSecAttrAccount] as? String == "ada")
    #expect((item as? Dictionary<NSObject, Any>)?[kSecAttrAccount as NSString] as? NSString == "ada")
    let mutable = (item as! NSDictionary).mutableCopy() as! NSMutableDictionary
    #expect(mutable[kSecValueData] as? NSData == Data("one".utf8) as NSData)
    #expect(mutable.value(forKey: kSecAttrAccount as String) as? String == "ada")
    let all: [CFString: Any] = [kSecMatchLimit: kSecMatchLimitAll, kSecReturnData: true]
    try #require(SecItemCopyMatching(query(all), &item) == errSecSuccess)
    #expect((item as? [NSData])?.count == 2)
    #expect((item as? [CFData])?.count == 2)
    #expect((item as? Array<AnyObject>)?.first is Data)
  }
}
