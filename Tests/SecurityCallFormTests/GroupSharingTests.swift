// swift-format-ignore-file: NeverForceUnwrap
// Existing code forces casts and optionals, and is copied here unchanged.

import Security
import Testing

/// Two programs that share items in their access groups.
@Suite(.keychain(groups: "~com.example.app", "~com.example.shared")) struct GroupSharingTests {
  private let prefix: String
  private let shared: String

  init() throws {
    prefix = try KeychainApp.identifierPrefix
    shared = prefix + "com.example.shared"
  }

  private func widget() throws -> KeychainApp {
    try .other("com.example.widget", groups: ["~com.example.widget", "~com.example.shared"])
  }

  @discardableResult
  private func add(_ account: String, _ password: String = "secret", group: String? = nil) -> OSStatus {
    var attributes: [CFString: Any] = [
      kSecClass: kSecClassGenericPassword, kSecAttrService: "example", kSecAttrAccount: account,
      kSecValueData: password.data(using: .utf8)!,
    ]
    if let group { attributes[kSecAttrAccessGroup] = group }
    return SecItemAdd(attributes as CFDictionary, nil)
  }

  private func find(_ account: String, group: String? = nil) -> (status: OSStatus, item: [CFString: Any]?) {
    var query: [CFString: Any] = [
      kSecClass: kSecClassGenericPassword, kSecAttrService: "example", kSecAttrAccount: account,
      kSecReturnAttributes: true, kSecReturnData: true,
    ]
    query[kSecAttrAccessGroup] = group
    var item: CFTypeRef?
    let status = SecItemCopyMatching(query as CFDictionary, &item)
    return (status, item as? [CFString: Any])
  }

  private func password(_ account: String, group: String? = nil) -> String? {
    (find(account, group: group).item?[kSecValueData] as? Data).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `An item added to a shared group is visible to the other program`() throws {
    #expect(add("ada", group: shared) == errSecSuccess)
    try widget().run {
      #expect(password("ada") == "secret")
      #expect(password("ada", group: shared) == "secret")
      #expect(add("ada", group: shared) == errSecDuplicateItem)
      #expect(add("bob", "from the widget", group: shared) == errSecSuccess)
    }
    #expect(password("bob") == "from the widget")
  }

  @Test func `An item added without a group is private to the program`() throws {
    #expect(add("ada") == errSecSuccess)
    #expect(find("ada").item?[kSecAttrAccessGroup] as? String == prefix + "com.example.app")
    try widget().run {
      #expect(find("ada").status == errSecItemNotFound)
      #expect(find("ada", group: prefix + "com.example.app").status == errSecMissingEntitlement)
      let all: [CFString: Any] = [kSecClass: kSecClassGenericPassword]
      #expect(SecItemDelete(all as CFDictionary) == errSecItemNotFound)
      #expect(add("ada", "another") == errSecSuccess)
      #expect(password("ada") == "another")
    }
    #expect(password("ada") == "secret")
  }

  @Test func `A group that is not the program's is a missing entitlement in every call`() {
    let foreign = prefix + "com.example.widget"
    #expect(add("ada", group: foreign) == errSecMissingEntitlement)
    #expect(find("ada", group: foreign).status == errSecMissingEntitlement)
    let query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrAccessGroup: foreign]
    #expect(SecItemDelete(query as CFDictionary) == errSecMissingEntitlement)
    #expect(SecItemUpdate(query as CFDictionary, [kSecAttrLabel: "x"] as CFDictionary) == errSecMissingEntitlement)
    #expect(
      SecCopyErrorMessageString(errSecMissingEntitlement, nil) as String? == "A required entitlement isn't present.")
  }

  @Test func `The prefix is read from an item that is added for this purpose`() throws {
    func bundleSeedID() -> String? {
      let query: [String: AnyObject] = [
        kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: "bundleSeedID" as AnyObject,
        kSecAttrService as String: "" as AnyObject, kSecReturnAttributes as String: kCFBooleanTrue,
      ]
      var result: AnyObject?
      var status = SecItemCopyMatching(query as CFDictionary, &result)
      if status == errSecItemNotFound { status = SecItemAdd(query as CFDictionary, &result) }
      guard status == errSecSuccess, let attributes = result as? [String: Any],
        let group = attributes[kSecAttrAccessGroup as String] as? String
      else { return nil }
      return group.components(separatedBy: ".").first
    }
    #expect(bundleSeedID() == String(prefix.dropLast()))
    #expect(bundleSeedID() == String(prefix.dropLast()))
  }

  @Test func `An item moves into the shared group by an update`() throws {
    #expect(add("ada") == errSecSuccess)
    let query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "example",
      kSecAttrAccessGroup as String: prefix + "com.example.app",
    ]
    let changes: [String: Any] = [kSecAttrAccessGroup as String: shared]
    #expect(SecItemUpdate(query as CFDictionary, changes as CFDictionary) == errSecSuccess)
    #expect(SecItemUpdate(query as CFDictionary, changes as CFDictionary) == errSecItemNotFound)
    try widget().run { #expect(password("ada") == "secret") }
    #expect(find("ada").item?[kSecAttrAccessGroup] as? String == shared)
  }

  @Test func `An item moves into the shared group by reading, adding and deleting`() throws {
    add("ada")
    let found = try #require(find("ada", group: prefix + "com.example.app").item)
    let data = try #require(found[kSecValueData] as? Data)
    let moved: [CFString: Any] = [
      kSecClass: kSecClassGenericPassword, kSecAttrService: found[kSecAttrService] as! String,
      kSecAttrAccount: found[kSecAttrAccount] as! String, kSecAttrAccessGroup: shared, kSecValueData: data,
      kSecAttrAccessible: found[kSecAttrAccessible] as! CFString,
    ]
    #expect(SecItemAdd(moved as CFDictionary, nil) == errSecSuccess)
    let old: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrAccessGroup: prefix + "com.example.app"]
    #expect(SecItemDelete(old as CFDictionary) == errSecSuccess)
    try widget().run { #expect(password("ada") == "secret") }
    #expect(password("ada") == "secret")
  }

  @Test func `A move onto an item of the same name is a duplicate, and into a foreign group is refused`() {
    add("ada", "own")
    add("ada", "shared", group: shared)
    let query: [CFString: Any] = [
      kSecClass: kSecClassGenericPassword, kSecAttrAccessGroup: prefix + "com.example.app",
    ]
    #expect(SecItemUpdate(query as CFDictionary, [kSecAttrAccessGroup: shared] as CFDictionary) == errSecDuplicateItem)
    let foreign: [CFString: Any] = [kSecAttrAccessGroup: prefix + "com.example.widget"]
    #expect(SecItemUpdate(query as CFDictionary, foreign as CFDictionary) == errSecMissingEntitlement)
    #expect(password("ada", group: prefix + "com.example.app") == "own")
    #expect(password("ada", group: shared) == "shared")
  }

  @Test func `One account in two groups is two items, and a search without a group finds both`() throws {
    add("ada", "own")
    add("ada", "shared", group: shared)
    let query: [CFString: Any] = [
      kSecClass: kSecClassGenericPassword, kSecAttrAccount: "ada", kSecMatchLimit: kSecMatchLimitAll,
      kSecReturnAttributes: true,
    ]
    var items: CFTypeRef?
    #expect(SecItemCopyMatching(query as CFDictionary, &items) == errSecSuccess)
    let groups = try #require(items as? [[CFString: Any]]).compactMap { $0[kSecAttrAccessGroup] as? String }
    #expect(groups.sorted() == [prefix + "com.example.app", shared])
  }

  @Test func `One program sees the other's changes and deletions`() throws {
    add("ada", group: shared)
    let widget = try widget()
    let query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrAccessGroup: shared]
    widget.run {
      let status = SecItemUpdate(query as CFDictionary, [kSecValueData: Data("changed".utf8)] as CFDictionary)
      #expect(status == errSecSuccess)
    }
    #expect(password("ada") == "changed")
    #expect(SecItemDelete(query as CFDictionary) == errSecSuccess)
    widget.run { #expect(find("ada").status == errSecItemNotFound) }
  }

  @Test func `An extension with read access to the group cannot write it`() throws {
    add("ada", group: shared)
    let reader = try KeychainApp.other("com.example.reader", readOnly: ["~com.example.shared"])
    let query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrAccessGroup: shared]
    reader.run {
      #expect(password("ada") == "secret")
      #expect(add("bob", group: shared) == errSecMissingEntitlement)
      #expect(SecItemUpdate(query as CFDictionary, [kSecAttrLabel: "x"] as CFDictionary) == errSecMissingEntitlement)
      #expect(SecItemDelete(query as CFDictionary) == errSecMissingEntitlement)
      #expect(SecItemDelete([kSecClass: kSecClassGenericPassword] as CFDictionary) == errSecItemNotFound)
    }
    #expect(password("ada") == "secret")
  }

  @Test func `A persistent reference works only in programs that have the group`() throws {
    var result: CFTypeRef?
    let attributes: [CFString: Any] = [
      kSecClass: kSecClassGenericPassword, kSecAttrAccount: "ada", kSecAttrAccessGroup: shared,
      kSecValueData: Data("secret".utf8), kSecReturnPersistentRef: true,
    ]
    #expect(SecItemAdd(attributes as CFDictionary, &result) == errSecSuccess)
    let reference = try #require(result as? Data)
    let query: [CFString: Any] = [kSecValuePersistentRef: reference, kSecReturnData: true]
    try widget().run {
      var item: CFTypeRef?
      #expect(SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess)
      #expect(item as? Data == Data("secret".utf8))
    }
    try KeychainApp.other("com.example.stranger").run {
      #expect(SecItemCopyMatching(query as CFDictionary, nil) == errSecItemNotFound)
    }
  }
}
