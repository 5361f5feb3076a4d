// swift-format-ignore-file: NeverForceUnwrap
// Existing code forces casts and optionals, and is copied here unchanged.

import Security
import Testing

/// The ways to set a value that may exist already, and to change an existing one.
@Suite(.keychain) struct UpsertIdiomTests {
  private func query(_ account: String = "ada") -> [String: Any] {
    [
      kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "example",
      kSecAttrAccount as String: account,
    ]
  }

  private func read(_ account: String = "ada") -> String? {
    var query = query(account)
    query[kSecReturnData as String] = kCFBooleanTrue
    query[kSecMatchLimit as String] = kSecMatchLimitOne
    var item: CFTypeRef?
    guard SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess else { return nil }
    return (item as? Data).flatMap { String(data: $0, encoding: .utf8) }
  }

  private var count: Int {
    var item: CFTypeRef?
    let all: [CFString: Any] = [
      kSecClass: kSecClassGenericPassword, kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true,
    ]
    return SecItemCopyMatching(all as CFDictionary, &item) == errSecSuccess ? (item as! [Any]).count : 0
  }

  @Test func `An item is added, and updated if it is a duplicate`() {
    func save(_ password: String) -> OSStatus {
      var attributes = query()
      attributes[kSecValueData as String] = password.data(using: .utf8)
      let status = SecItemAdd(attributes as CFDictionary, nil)
      guard status == errSecDuplicateItem else { return status }
      return SecItemUpdate(query() as CFDictionary, [kSecValueData: Data(password.utf8)] as CFDictionary)
    }
    #expect(save("one") == errSecSuccess)
    #expect(save("two") == errSecSuccess)
    #expect(read() == "two")
    #expect(count == 1)
  }

  @Test func `An item is updated, and added if it is not found`() {
    func save(_ password: String) throws {
      let data = Data(password.utf8)
      var status = SecItemUpdate(query() as CFDictionary, [kSecValueData as String: data] as CFDictionary)
      if status == errSecItemNotFound {
        var item = query()
        item[kSecValueData as String] = data
        item[kSecAttrAccessible as String] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        status = SecItemAdd(item as CFDictionary, nil)
      }
      guard status == errSecSuccess else { throw NSError(domain: NSOSStatusErrorDomain, code: Int(status)) }
    }
    #expect(throws: Never.self) { try save("one") }
    #expect(throws: Never.self) { try save("two") }
    #expect(read() == "two")
    #expect(count == 1)
  }

  @Test func `An item is searched for, and then updated or added`() {
    func save(_ password: String) -> Bool {
      let attributes = [kSecValueData as String: Data(password.utf8)]
      switch SecItemCopyMatching(query() as CFDictionary, nil) {
      case errSecSuccess, errSecInteractionNotAllowed:
        return SecItemUpdate(query() as CFDictionary, attributes as CFDictionary) == errSecSuccess
      case errSecItemNotFound:
        let item = query().merging(attributes) { _, new in new }
        return SecItemAdd(item as CFDictionary, nil) == errSecSuccess
      default: return false
      }
    }
    #expect(save("one"))
    #expect(save("two"))
    #expect(read() == "two")
    #expect(count == 1)
  }

  @Test func `An existing item is deleted before the new one is added`() {
    func save(_ password: String) -> OSStatus {
      var item = query()
      SecItemDelete(item as CFDictionary)
      item[kSecValueData as String] = Data(password.utf8)
      return SecItemAdd(item as CFDictionary, nil)
    }
    #expect(save("one") == errSecSuccess)
    #expect(save("two") == errSecSuccess)
    #expect(read() == "two")
    #expect(count == 1)
  }

  @Test func `The dictionary of an addition also deletes, with its data in it`() {
    let item = query().merging([kSecValueData as String: Data("one".utf8)]) { $1 } as CFDictionary
    #expect(SecItemAdd(item, nil) == errSecSuccess)
    #expect(SecItemDelete(item) == errSecSuccess)
    #expect(SecItemAdd(item, nil) == errSecSuccess)
    #expect(read() == "one")
  }

  @Test func `The dictionary of a search also updates, with its return and limit keys in it`() {
    #expect(SecItemAdd(query().merging(["v_Data": Data("one".utf8)]) { $1 } as CFDictionary, nil) == errSecSuccess)
    var search = query()
    search[kSecReturnData as String] = true
    search[kSecReturnAttributes as String] = true
    search[kSecMatchLimit as String] = kSecMatchLimitOne
    let update = SecItemUpdate(search as CFDictionary, [kSecValueData: Data("two".utf8)] as CFDictionary)
    #expect(update == errSecSuccess)
    #expect(read() == "two")
    #expect(SecItemDelete(search as CFDictionary) == errSecSuccess)
  }

  @Test func `A value that is set to nil is deleted, and deleting a missing one is no failure`() {
    func set(_ value: String?) -> OSStatus {
      guard let value else {
        let status = SecItemDelete(query() as CFDictionary)
        return status == errSecItemNotFound ? errSecSuccess : status
      }
      var item = query()
      item[kSecValueData as String] = Data(value.utf8)
      let status = SecItemAdd(item as CFDictionary, nil)
      if status == errSecDuplicateItem {
        item.removeAll()
        item[kSecValueData as String] = Data(value.utf8)
        return SecItemUpdate(query() as CFDictionary, item as CFDictionary)
      }
      return status
    }
    #expect(set(nil) == errSecSuccess)
    #expect(set("one") == errSecSuccess)
    #expect(set("two") == errSecSuccess)
    #expect(read() == "two")
    #expect(set(nil) == errSecSuccess)
    #expect(read() == nil)
  }

  @Test func `A counter is read, incremented and written`() {
    func increase() -> Int {
      let next = (read("count").flatMap(Int.init) ?? 0) + 1
      let data = Data("\(next)".utf8)
      if SecItemUpdate(query("count") as CFDictionary, ["v_Data": data] as CFDictionary) == errSecItemNotFound {
        SecItemAdd(query("count").merging(["v_Data": data]) { $1 } as CFDictionary, nil)
      }
      return next
    }
    #expect((1...5).map { _ in increase() } == [1, 2, 3, 4, 5])
    #expect(count == 1)
  }

  @Test func `An account is renamed by an update, but not to an existing one`() {
    for account in ["ada", "bob"] {
      SecItemAdd(query(account).merging(["v_Data": Data(account.utf8)]) { $1 } as CFDictionary, nil)
    }
    let taken = SecItemUpdate(query("ada") as CFDictionary, [kSecAttrAccount: "bob"] as CFDictionary)
    #expect(taken == errSecDuplicateItem)
    #expect(read("ada") == "ada")
    let free = SecItemUpdate(query("ada") as CFDictionary, [kSecAttrAccount: "eve"] as CFDictionary)
    #expect(free == errSecSuccess)
    #expect(read("eve") == "ada")
    #expect(read("ada") == nil)
  }

  @Test func `Items change their accessibility by an update, all at once`() {
    for account in ["ada", "bob"] {
      var item = query(account)
      item[kSecAttrAccessible as String] = kSecAttrAccessibleWhenUnlocked
      item[kSecValueData as String] = Data(account.utf8)
      #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
    }
    let old: [CFString: Any] = [
      kSecClass: kSecClassGenericPassword, kSecAttrService: "example",
      kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked,
    ]
    let new: [CFString: Any] = [kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock]
    #expect(SecItemUpdate(old as CFDictionary, new as CFDictionary) == errSecSuccess)
    #expect(SecItemUpdate(old as CFDictionary, new as CFDictionary) == errSecItemNotFound)
    #expect(read("ada") == "ada")
    var item: CFTypeRef?
    let moved = old.merging(new) { $1 }.merging([kSecReturnAttributes: true, kSecMatchLimit: kSecMatchLimitAll]) { $1 }
    #expect(SecItemCopyMatching(moved as CFDictionary, &item) == errSecSuccess)
    #expect((item as? [[String: Any]])?.count == 2)
  }

  @Test func `A migration reads all items, deletes them and adds them under another service`() throws {
    for account in ["ada", "bob"] {
      SecItemAdd(query(account).merging(["v_Data": Data(account.utf8)]) { $1 } as CFDictionary, nil)
    }
    let old: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "example"]
    var result: CFTypeRef?
    let all = old.merging([kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true, kSecReturnData: true]) { $1 }
    #expect(SecItemCopyMatching(all as CFDictionary, &result) == errSecSuccess)
    for found in try #require(result as? [[CFString: Any]]) {
      let account = try #require(found[kSecAttrAccount] as? String)
      let data = try #require(found[kSecValueData] as? Data)
      #expect(SecItemDelete(query(account) as CFDictionary) == errSecSuccess)
      let new: [CFString: Any] = [
        kSecClass: kSecClassGenericPassword, kSecAttrService: "example.2", kSecAttrAccount: account,
        kSecValueData: data,
        kSecAttrAccessible: kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
      ]
      #expect(SecItemAdd(new as CFDictionary, nil) == errSecSuccess)
    }
    #expect(SecItemCopyMatching(old as CFDictionary, nil) == errSecItemNotFound)
    #expect(count == 2)
  }

  @Test func `A migration updates the service of all items in one call`() {
    for account in ["ada", "bob"] {
      SecItemAdd(query(account).merging(["v_Data": Data(account.utf8)]) { $1 } as CFDictionary, nil)
    }
    let old: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "example"]
    #expect(SecItemUpdate(old as CFDictionary, [kSecAttrService: "example.2"] as CFDictionary) == errSecSuccess)
    #expect(read("ada") == nil)
    #expect(SecItemCopyMatching(old as CFDictionary, nil) == errSecItemNotFound)
    #expect(count == 2)
  }

  @Test func `The result of an addition can be added again unchanged`() throws {
    var added: CFTypeRef?
    var attributes = query()
    attributes[kSecValueData as String] = Data("one".utf8)
    attributes[kSecReturnAttributes as String] = true
    #expect(SecItemAdd(attributes as CFDictionary, &added) == errSecSuccess)
    var backup = try #require(added as? [String: Any])
    #expect(SecItemDelete(query() as CFDictionary) == errSecSuccess)
    backup[kSecValueData as String] = Data("restored".utf8)
    #expect(SecItemAdd(backup as CFDictionary, nil) == errSecSuccess)
    #expect(read() == "restored")
  }
}
