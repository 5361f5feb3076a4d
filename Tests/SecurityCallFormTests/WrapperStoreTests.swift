// swift-format-ignore-file: NeverForceUnwrap
// Existing code forces casts and optionals, and is copied here unchanged.

import Security
import Testing

// MARK: A store with subscripts, prefixes and a lock

private final class Keychain: @unchecked Sendable {
  static let shared = Keychain()

  private let lock = NSLock()
  private let keyPrefix: String
  private(set) var lastResultCode: OSStatus = noErr
  private(set) var lastQueryParameters: [String: Any]?
  var synchronizable = false

  init(keyPrefix: String = "") { self.keyPrefix = keyPrefix }

  @discardableResult
  func set(_ value: Data, forKey key: String, withAccess access: CFString? = nil) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    var query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: keyPrefix + key,
    ]
    if synchronizable { query[kSecAttrSynchronizable as String] = true }
    SecItemDelete(query as CFDictionary)
    query[kSecValueData as String] = value
    query[kSecAttrAccessible as String] = (access ?? kSecAttrAccessibleWhenUnlocked) as String
    lastQueryParameters = query
    lastResultCode = SecItemAdd(query as CFDictionary, nil)
    return lastResultCode == noErr
  }

  @discardableResult
  func set(_ value: String, forKey key: String) -> Bool { set(Data(value.utf8), forKey: key) }

  @discardableResult
  func set(_ value: Bool, forKey key: String) -> Bool { set(Data([value ? 1 : 0]), forKey: key) }

  func getData(_ key: String) -> Data? {
    lock.lock()
    defer { lock.unlock() }
    var query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: keyPrefix + key,
      kSecReturnData as String: kCFBooleanTrue!, kSecMatchLimit as String: kSecMatchLimitOne,
    ]
    if synchronizable { query[kSecAttrSynchronizable as String] = kSecAttrSynchronizableAny }
    lastQueryParameters = query
    var result: AnyObject?
    lastResultCode = withUnsafeMutablePointer(to: &result) {
      SecItemCopyMatching(query as CFDictionary, UnsafeMutablePointer($0))
    }
    return lastResultCode == noErr ? result as? Data : nil
  }

  func get(_ key: String) -> String? { getData(key).flatMap { String(data: $0, encoding: .utf8) } }

  func getBool(_ key: String) -> Bool? { getData(key)?.first.map { $0 == 1 } }

  @discardableResult
  func delete(_ key: String) -> Bool {
    let query =
      [kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: keyPrefix + key] as [String: Any]
    lastResultCode = SecItemDelete(query as CFDictionary)
    return lastResultCode == noErr
  }

  subscript(key: String) -> String? {
    get { get(key) }
    set {
      if let newValue { set(newValue, forKey: key) } else { delete(key) }
    }
  }

  subscript(data key: String) -> Data? {
    get { getData(key) }
    set { _ = newValue.map { set($0, forKey: key) } ?? delete(key) }
  }
}

// MARK: Property wrappers

@propertyWrapper private struct KeychainStored {
  let key: String

  init(_ key: String) { self.key = key }

  var wrappedValue: String? {
    get { Keychain.shared[key] }
    nonmutating set { Keychain.shared[key] = newValue }
  }

  var projectedValue: Bool { Keychain.shared.getData(key) != nil }
}

@propertyWrapper private struct SecureStorage<Value: Codable> {
  private let key: String
  private let fallback: Value

  init(wrappedValue: Value, key: String) {
    self.key = key
    fallback = wrappedValue
  }

  var wrappedValue: Value {
    get { Keychain.shared.getData(key).flatMap { try? JSONDecoder().decode(Value.self, from: $0) } ?? fallback }
    set { if let data = try? JSONEncoder().encode(newValue) { Keychain.shared.set(data, forKey: key) } }
  }

  var projectedValue: Self { self }

  func reset() { Keychain.shared.delete(key) }
}

private struct Account: Codable, Equatable { var name = "", age = 0 }

private struct Settings {
  @KeychainStored("token") var token: String?
  @SecureStorage(key: "account") var account = Account()
  @SecureStorage(key: "attempts") var attempts = 3
}

/// Stores in which apps wrap the calls.
@Suite(.keychain) struct WrapperStoreTests {
  @Test func `A subscript reads, sets and deletes`() {
    let keychain = Keychain()
    #expect(keychain["token"] == nil)
    keychain["token"] = "one"
    keychain["token"] = "two"
    #expect(keychain["token"] == "two")
    keychain["token"]?.append("!")
    #expect(keychain["token"] == "two!")
    keychain["token"] = nil
    #expect(keychain["token"] == nil)
    keychain[data: "bytes"] = Data([0, 255])
    #expect(keychain[data: "bytes"] == Data([0, 255]))
  }

  @Test func `A store returns the code of its last call`() {
    let keychain = Keychain()
    #expect(keychain.get("token") == nil)
    #expect(keychain.lastResultCode == errSecItemNotFound)
    #expect(keychain.set(true, forKey: "flag"))
    #expect(keychain.lastResultCode == errSecSuccess)
    #expect(keychain.getBool("flag") == true)
    #expect(keychain.lastQueryParameters?[kSecMatchLimit as String] as? String == kSecMatchLimitOne as String)
    #expect(keychain.delete("flag"))
    #expect(!keychain.delete("flag"))
    #expect(keychain.lastResultCode == -25300)
  }

  @Test func `Prefixes keep the keys of two stores separate`() {
    let first = Keychain(keyPrefix: "first_"), second = Keychain(keyPrefix: "second_")
    first["token"] = "one"
    second["token"] = "two"
    #expect(first["token"] == "one")
    #expect(second["token"] == "two")
    first["token"] = nil
    #expect(second["token"] == "two")
    #expect(Keychain()["second_token"] == "two")
  }

  @Test func `A synchronizable store has its own values, and reads both kinds`() {
    let local = Keychain(), cloud = Keychain()
    cloud.synchronizable = true
    local["local"] = "one"
    cloud["cloud"] = "two"
    #expect(local["cloud"] == nil)
    #expect(cloud["cloud"] == "two")
    #expect(cloud["local"] == "one")
  }

  @Test func `A property wrapper represents the item`() {
    let settings = Settings()
    #expect(settings.token == nil)
    #expect(!settings.$token)
    settings.token = "one"
    #expect(Settings().token == "one")
    #expect(settings.$token)
    #expect(Keychain.shared["token"] == "one")
    settings.token = nil
    #expect(!Settings().$token)
  }

  @Test func `A generic property wrapper has a default until a value is stored`() {
    var settings = Settings()
    #expect(settings.attempts == 3)
    #expect(settings.account == Account())
    settings.attempts -= 1
    settings.account.name = "ada"
    settings.account.age = 36
    #expect(Settings().attempts == 2)
    #expect(Settings().account == Account(name: "ada", age: 36))
    settings.$account.reset()
    #expect(settings.account == Account())
  }

  @Test func `Keys of an enum name the items`() {
    enum Key: String, CaseIterable { case accessToken, refreshToken, pin }
    let keychain = Keychain(keyPrefix: "com.example.")
    for key in Key.allCases { keychain[key.rawValue] = "\(key)" }
    #expect(Key.allCases.map { keychain[$0.rawValue] } == ["accessToken", "refreshToken", "pin"])
    Key.allCases.forEach { keychain.delete($0.rawValue) }
    #expect(Key.allCases.allSatisfy { keychain[$0.rawValue] == nil })
  }

  @Test func `Members are looked up by the names of items`() {
    let members = KeychainMembers()
    members.password = "one"
    #expect(members.password == "one")
    #expect(members.other == nil)
    #expect(Keychain.shared["password"] == "one")
  }

  @Test func `A query is built step by step`() {
    let builder = QueryBuilder(kSecClassGenericPassword).service("example").account("ada")
    #expect(SecItemAdd(builder.value("one").accessible(kSecAttrAccessibleAfterFirstUnlock).query, nil) == errSecSuccess)
    var item: CFTypeRef?
    #expect(SecItemCopyMatching(builder.returning(kSecReturnData).query, &item) == errSecSuccess)
    #expect(item as? Data == Data("one".utf8))
    #expect(SecItemDelete(builder.query) == errSecSuccess)
  }
}

@dynamicMemberLookup private struct KeychainMembers {
  subscript(dynamicMember name: String) -> String? {
    get { Keychain.shared[name] }
    nonmutating set { Keychain.shared[name] = newValue }
  }
}

private struct QueryBuilder {
  private var attributes: [CFString: Any]

  init(_ itemClass: CFString) { attributes = [kSecClass: itemClass] }

  var query: CFDictionary { attributes as CFDictionary }

  private func with(_ key: CFString, _ value: Any?) -> QueryBuilder {
    var copy = self
    copy.attributes[key] = value
    return copy
  }

  func service(_ name: String) -> Self { with(kSecAttrService, name) }
  func account(_ name: String) -> Self { with(kSecAttrAccount, name) }
  func value(_ text: String) -> Self { with(kSecValueData, Data(text.utf8)) }
  func accessible(_ when: CFString) -> Self { with(kSecAttrAccessible, when) }
  func returning(_ what: CFString) -> Self { with(what, kCFBooleanTrue) }
}
