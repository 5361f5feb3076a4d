import Security
import Testing

/// The results of mistakes that articles teach.
@Suite(.keychain) struct CommonMistakeTests {
  private let ada: [CFString: Any] = [
    kSecClass: kSecClassGenericPassword, kSecAttrService: "example", kSecAttrAccount: "ada",
  ]

  private func add(_ more: [CFString: Any] = [:]) -> OSStatus {
    var attributes = ada
    attributes[kSecValueData] = Data("secret".utf8)
    return SecItemAdd(attributes.merging(more) { $1 } as CFDictionary, nil)
  }

  private func find(_ more: [CFString: Any]) -> (status: OSStatus, item: AnyObject?) {
    var item: CFTypeRef?
    let status = SecItemCopyMatching(ada.merging(more) { $1 } as CFDictionary, &item)
    return (status, item)
  }

  private var password: String? {
    (find([kSecReturnData: true]).item as? Data).map { String(decoding: $0, as: UTF8.self) }
  }

  // MARK: Losing existing items

  @Test func `Deleting before adding loses the item if the add fails`() {
    func save(_ value: Any) -> OSStatus {
      SecItemDelete(ada as CFDictionary)
      return SecItemAdd(ada.merging([kSecValueData: value]) { $1 } as CFDictionary, nil)
    }
    #expect(save(Data("secret".utf8)) == errSecSuccess)
    #expect(save("no data") == errSecParam)
    #expect(find([:]).status == errSecItemNotFound)
  }

  @Test func `An update in one call keeps the item when it fails`() {
    #expect(add() == errSecSuccess)
    #expect(SecItemUpdate(ada as CFDictionary, [kSecValueData: "no data"] as CFDictionary) == errSecParam)
    #expect(password == "secret")
  }

  @Test func `A deletion by class alone deletes every password, not the app's last one`() {
    #expect(add() == errSecSuccess)
    #expect(add([kSecAttrService: "another"]) == errSecSuccess)
    #expect(SecItemDelete([kSecClass: kSecClassGenericPassword] as CFDictionary) == errSecSuccess)
    #expect(SecItemDelete([kSecClass: kSecClassGenericPassword] as CFDictionary) == errSecItemNotFound)
  }

  // MARK: Primary keys

  @Test func `A password and a token of the same account collide on one primary key`() {
    #expect(add([kSecAttrLabel: "password"]) == errSecSuccess)
    #expect(add([kSecAttrLabel: "token"]) == errSecDuplicateItem)
    #expect(add([kSecAttrGeneric: Data("token".utf8)]) == errSecDuplicateItem)
    #expect(add([kSecAttrDescription: "token", kSecAttrComment: "token", kSecAttrType: 7]) == errSecDuplicateItem)
    #expect(add([kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock]) == errSecDuplicateItem)
    #expect(add([kSecAttrService: "token"]) == errSecSuccess)
  }

  @Test func `With only a generic attribute as the name, every second item is a duplicate`() {
    func add(_ identifier: String) -> OSStatus {
      let attributes: [CFString: Any] = [
        kSecClass: kSecClassGenericPassword, kSecAttrGeneric: Data(identifier.utf8), kSecValueData: Data([1]),
      ]
      return SecItemAdd(attributes as CFDictionary, nil)
    }
    #expect(add("first") == errSecSuccess)
    #expect(add("second") == errSecDuplicateItem)
  }

  @Test func `Without a service, a search finds any service's item`() {
    #expect(add() == errSecSuccess)
    var item: CFTypeRef?
    let query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrAccount: "ada", kSecReturnData: true]
    #expect(SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess)
    #expect(item as? Data == Data("secret".utf8))
  }

  @Test func `An item that the query's accessibility hides is still a duplicate`() {
    #expect(add([kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked]) == errSecSuccess)
    let changed: [CFString: Any] = [kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock]
    #expect(find(changed).status == errSecItemNotFound)
    #expect(add(changed) == errSecDuplicateItem)
    let update = SecItemUpdate(ada.merging(changed) { $1 } as CFDictionary, [kSecValueData: Data()] as CFDictionary)
    #expect(update == errSecItemNotFound)
    #expect(password == "secret")
  }

  @Test func `A synchronizable item is not found unless the query asks for it`() {
    #expect(add([kSecAttrSynchronizable: true]) == errSecSuccess)
    #expect(find([:]).status == errSecItemNotFound)
    #expect(SecItemDelete(ada as CFDictionary) == errSecItemNotFound)
    #expect(SecItemUpdate(ada as CFDictionary, [kSecAttrLabel: "x"] as CFDictionary) == errSecItemNotFound)
    #expect(find([kSecAttrSynchronizable: kCFBooleanTrue!]).status == errSecSuccess)
    #expect(find([kSecAttrSynchronizable: kSecAttrSynchronizableAny]).status == errSecSuccess)
    #expect(add() == errSecSuccess)
  }

  @Test func `Another spelling of the account or service is another item`() {
    #expect(add() == errSecSuccess)
    #expect(find([kSecAttrAccount: "Ada"]).status == errSecItemNotFound)
    #expect(find([kSecAttrService: "example "]).status == errSecItemNotFound)
    #expect(add([kSecAttrAccount: "Ada"]) == errSecSuccess)
  }

  // MARK: Wrong types

  @Test func `A string as the value is an invalid parameter`() {
    #expect(add([kSecValueData: "secret"]) == -50)
    #expect(add([kSecValueData: "secret" as NSString]) == errSecParam)
    #expect(add([kSecValueData: 42]) == errSecParam)
    #expect(add([kSecValueData: ["secret"]]) == errSecParam)
    #expect(find([:]).status == errSecItemNotFound)
    #expect(add([kSecValueData: "secret".data(using: .utf8)!]) == errSecSuccess)
  }

  @Test func `The value of a return key is a Boolean, and neither a number nor text`() {
    #expect(add() == errSecSuccess)
    #expect(find([kSecReturnData: "true"]).status == errSecParam)
    #expect(find([kSecReturnData: 1]).status == errSecParam)
    #expect(find([kSecReturnAttributes: "YES" as CFString]).status == errSecParam)
  }

  @Test func `A limit that is not a number is an invalid parameter`() {
    #expect(add() == errSecSuccess)
    #expect(find([kSecMatchLimit: "all"]).status == errSecParam)
  }

  @Test func `A collection as an attribute is an invalid parameter`() {
    #expect(add([kSecAttrAccount: ["ada"]]) == errSecParam)
    #expect(add([kSecAttrService: ["name": "example"]]) == errSecParam)
    #expect(add([kSecAttrCreationDate: "today"]) == errSecParam)
  }

  @Test func `An optional in the dictionary as Any counts as its value`() {
    let account: String? = "ada"
    #expect(add([kSecAttrAccount: account as Any]) == errSecSuccess)
    #expect(find([:]).status == errSecSuccess)
    let data: Data? = "secret".data(using: .utf8)
    #expect(add([kSecAttrAccount: "bob", kSecValueData: data as Any]) == errSecSuccess)
    #expect(find([kSecAttrAccount: account as AnyObject, kSecReturnData: true as Bool? as Any]).item as? Data == data)
  }

  @Test func `Nil in a dictionary of optionals is an absent attribute`() {
    let account: String? = nil
    let attributes: [String: Any?] = [
      kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "example",
      kSecAttrAccount as String: account, kSecValueData as String: Data("secret".utf8),
    ]
    #expect(SecItemAdd(attributes as CFDictionary, nil) == errSecSuccess)
    #expect(SecItemAdd(attributes.compactMapValues { $0 } as CFDictionary, nil) == errSecDuplicateItem)
    #expect(find([:]).status == errSecItemNotFound)
    #expect(find([kSecAttrAccount: ""]).status == errSecSuccess)
  }

  @Test func `The description of an optional is another account`() {
    let account: String? = "ada"
    #expect(add([kSecAttrAccount: String(describing: account)]) == errSecSuccess)
    #expect(find([:]).status == errSecItemNotFound)
    #expect(find([kSecAttrAccount: "Optional(\"ada\")"]).status == errSecSuccess)
  }

  // MARK: Wrong keys

  @Test func `A query without a class is an invalid parameter`() {
    let attributes: [CFString: Any] = [kSecAttrAccount: "ada", kSecValueData: Data()]
    #expect(SecItemAdd(attributes as CFDictionary, nil) == errSecParam)
    #expect(SecItemCopyMatching([kSecAttrAccount: "ada"] as CFDictionary, nil) == errSecParam)
    #expect(SecItemDelete([kSecAttrAccount: "ada"] as CFDictionary) == errSecParam)
    #expect(SecItemDelete([:] as CFDictionary) == errSecParam)
    #expect(SecItemUpdate([:] as CFDictionary, [kSecAttrLabel: "x"] as CFDictionary) == errSecParam)
  }

  @Test func `A name that is not a class is errSecNoSuchClass`() {
    #expect(SecItemCopyMatching([kSecClass: "password"] as CFDictionary, nil) == errSecNoSuchClass)
  }

  @Test func `The server attribute of a generic password is errSecNoSuchAttr`() {
    #expect(add([kSecAttrServer: "example.com"]) == errSecNoSuchAttr)
    #expect(find([kSecAttrPort: 443]).status == errSecNoSuchAttr)
    let internet: [CFString: Any] = [kSecClass: kSecClassInternetPassword, kSecAttrService: "example"]
    #expect(SecItemCopyMatching(internet as CFDictionary, nil) == errSecNoSuchAttr)
  }

  @Test func `A custom key is an invalid parameter`() {
    #expect(SecItemAdd(["class": "genp", "account": "ada"] as CFDictionary, nil) == errSecParam)
    #expect(find(["my own key" as CFString: "value"]).status == errSecParam)
  }

  @Test func `The class among the new values is errSecNoSuchAttr, and the item is unchanged`() {
    #expect(add() == errSecSuccess)
    let whole = ada.merging([kSecValueData: Data("new".utf8)]) { $1 }
    #expect(SecItemUpdate(ada as CFDictionary, whole as CFDictionary) == errSecNoSuchAttr)
    #expect(password == "secret")
    #expect(SecItemUpdate(ada as CFDictionary, [:] as CFDictionary) == errSecParam)
  }

  // MARK: Wrong expectations of results

  @Test func `Nothing is returned if nothing was requested`() {
    #expect(add() == errSecSuccess)
    let found = find([:])
    #expect(found.status == errSecSuccess)
    #expect(found.item == nil)
  }

  @Test func `A password is data and not a string`() {
    #expect(add() == errSecSuccess)
    let item = find([kSecReturnData: true]).item
    #expect(item as? String == nil)
    #expect(item as? [String: Any] == nil)
    #expect(item as? Data != nil)
  }

  @Test func `A search for all items returns an array, even for one item`() {
    #expect(add() == errSecSuccess)
    let item = find([kSecReturnData: true, kSecMatchLimit: kSecMatchLimitAll]).item
    #expect(item as? Data == nil)
    #expect((item as? [Data])?.count == 1)
  }

  @Test func `Attributes do not include the data, and data does not include attributes`() {
    #expect(add() == errSecSuccess)
    let attributes = find([kSecReturnAttributes: true]).item as? [String: Any]
    #expect(attributes != nil)
    #expect(attributes?[kSecValueData as String] == nil)
    #expect((find([kSecReturnData: true]).item as? [String: Any]) == nil)
  }

  @Test func `A failed search leaves the result of an earlier one, which code that ignores the status uses`() {
    #expect(add() == errSecSuccess)
    var item: CFTypeRef?
    #expect(SecItemCopyMatching(ada.merging([kSecReturnData: true]) { $1 } as CFDictionary, &item) == errSecSuccess)
    let status = SecItemCopyMatching(
      [kSecClass: kSecClassGenericPassword, kSecAttrAccount: "eve", kSecReturnData: true] as CFDictionary, &item)
    #expect(status == errSecItemNotFound)
    #expect(item as? Data == Data("secret".utf8))
  }

  // MARK: Swallowed errors

  @Test func `A wrapper that ignores errors cannot distinguish a wrong query from a missing password`() {
    func get(_ more: [CFString: Any] = [:]) -> Data? {
      var item: CFTypeRef?
      SecItemCopyMatching(ada.merging([kSecReturnData: true]) { $1 }.merging(more) { $1 } as CFDictionary, &item)
      return item as? Data
    }
    #expect(get() == nil)
    #expect(add() == errSecSuccess)
    #expect(get() != nil)
    #expect(get([kSecAttrServer: "example.com"]) == nil)
    #expect(get([kSecAttrAccessGroup: "someone.else"]) == nil)
  }

  @Test func `A completion block after a wrong switch is called twice on a duplicate and never on success`() {
    var calls: [String] = []
    func save(_ completion: (String) -> Void) {
      let status = add()
      switch status {
      case errSecDuplicateItem:
        completion("duplicate")
        fallthrough
      case errSecParam, errSecAuthFailed:
        completion("failed")
      default: break
      }
    }
    save { calls.append($0) }
    #expect(calls.isEmpty)
    save { calls.append($0) }
    #expect(calls == ["duplicate", "failed"])
  }
}
