import Security
import Testing

/// The ways in which apps and libraries build queries and read results.
@Suite struct DictionaryFormTests {
  private let expected = ["class": "genp", "acct": "ada", "r_Data": true] as [String: AnyHashable]

  private func check(_ dictionary: CFDictionary, _ comment: Comment) {
    #expect(dictionary as? [String: AnyHashable] == expected, comment)
  }

  @Test func `Queries of every form are the same dictionary`() {
    let strings: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: "ada", kSecReturnData as String: true,
    ]
    check(strings as CFDictionary, "[String: Any]")
    let typed: [CFString: Any] = [
      kSecClass: kSecClassGenericPassword, kSecAttrAccount: "ada", kSecReturnData: kCFBooleanTrue!,
    ]
    check(typed as CFDictionary, "[CFString: Any]")
    let objects: [String: AnyObject] = [
      kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: "ada" as AnyObject,
      kSecReturnData as String: kCFBooleanTrue,
    ]
    check(objects as CFDictionary, "[String: AnyObject]")
    let hashable: [AnyHashable: Any] = [
      kSecClass: kSecClassGenericPassword, kSecAttrAccount as String: "ada", kSecReturnData: NSNumber(value: true),
    ]
    check(hashable as CFDictionary, "[AnyHashable: Any]")
    let nsStrings: [NSString: Any] = [
      kSecClass: kSecClassGenericPassword, kSecAttrAccount: "ada" as NSString, kSecReturnData: true,
    ]
    check(nsStrings as CFDictionary, "[NSString: Any]")
    check(NSDictionary(dictionary: strings), "NSDictionary")
    check(
      [
        kSecClass: kSecClassGenericPassword, kSecAttrAccount: "ada", kSecReturnData: kCFBooleanTrue as Any,
      ] as CFDictionary, "a literal")
    check(
      [
        kSecClass as String: kSecClassGenericPassword as String, kSecAttrAccount as String: "ada",
        kSecReturnData as String: true,
      ] as NSDictionary as CFDictionary, "a literal of strings")
  }

  @Test func `Queries that are changed after they are made are the same dictionary`() {
    var grown = [String: Any]()
    grown[kSecClass as String] = kSecClassGenericPassword
    grown[String(kSecAttrAccount)] = "ada"
    grown[kSecReturnData as String] = kCFBooleanTrue
    check(grown as CFDictionary, "a Swift dictionary")

    let mutable = NSMutableDictionary()
    mutable[kSecClass as String] = kSecClassGenericPassword
    mutable.setObject("ada", forKey: kSecAttrAccount as NSString)
    mutable.setValue(kCFBooleanTrue, forKey: kSecReturnData as String)
    check(mutable, "NSMutableDictionary")
    check(mutable as CFDictionary, "NSMutableDictionary, cast")

    let copied = NSMutableDictionary()
    copied.setObject(kSecClassGenericPassword, forKey: kSecClass as NSCopying)
    copied.setValue("ada", forKey: String(kSecAttrAccount))
    copied.setObject(true, forKey: kSecReturnData)
    copied.setValue("gone", forKey: "gone")
    copied.setValue(nil, forKey: "gone")
    check(copied, "NSMutableDictionary with NSCopying keys")

    let core: CFMutableDictionary = CFDictionaryCreateMutable(kCFAllocatorDefault, 3, nil, nil)
    for (key, value) in [(kSecClass, kSecClassGenericPassword), (kSecAttrAccount, "ada" as CFString)] {
      CFDictionarySetValue(
        core, Unmanaged.passUnretained(key).toOpaque(), Unmanaged.passUnretained(value).toOpaque())
    }
    CFDictionaryAddValue(
      core, Unmanaged.passUnretained(kSecReturnData).toOpaque(), Unmanaged.passUnretained(kCFBooleanTrue).toOpaque())
    check(core, "CFMutableDictionary")
    #expect(CFDictionaryGetCount(core) == 3)
  }

  @Test func `Results cast to every type that callers cast them to`() throws {
    let date = Date(timeIntervalSince1970: 1_000_000)
    let found: [String: Any] = [
      kSecAttrAccount as String: "ada", kSecValueData as String: Data([1, 2]), kSecAttrModificationDate as String: date,
      kSecAttrPort as String: 443, kSecAttrSynchronizable as String: true,
    ]
    var result: CFTypeRef?
    result = found as CFDictionary
    let strings = try #require(result as? [String: Any])
    #expect(strings[kSecAttrAccount as String] as? String == "ada")
    #expect(strings[kSecValueData as String] as? Data == Data([1, 2]))
    #expect(strings[kSecAttrModificationDate as String] as? Date == date)
    #expect(strings[kSecAttrPort as String] as? Int == 443)
    #expect(strings[kSecAttrSynchronizable as String] as? Bool == true)
    let typed = try #require(result as? [CFString: Any])
    #expect(typed[kSecAttrAccount] as? String == "ada")
    #expect((result as? NSDictionary)?[kSecAttrAccount] as? String == "ada")
    #expect((result as? NSDictionary)?.object(forKey: kSecAttrAccount) as? String == "ada")
    #expect((result as? [AnyHashable: Any])?[kSecAttrAccount] as? String == "ada")
    #expect((result as? [String: AnyObject])?[kSecAttrAccount as String] as? String == "ada")
    #expect((result as! CFDictionary)[kSecAttrAccount as String] as? String == "ada")

    result = Data([1, 2]) as CFData
    #expect(result as? Data == Data([1, 2]))
    #expect((result as? NSData) as Data? == Data([1, 2]))
    #expect((result as! CFData) as Data == Data([1, 2]))

    result = [found, found] as CFArray
    #expect((result as? [[String: Any]])?.count == 2)
    #expect((result as? [[CFString: Any]])?.first?[kSecAttrAccount] as? String == "ada")
    #expect((result as? NSArray)?.count == 2)
    #expect((result as? [NSDictionary])?.last?[kSecAttrAccount] as? String == "ada")
    #expect(CFGetTypeID(result) == CFArrayGetTypeID())
  }
}
