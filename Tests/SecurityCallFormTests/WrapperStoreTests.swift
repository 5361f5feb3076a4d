import Security
import Testing

// MARK: A struct for one password, which throws

private struct PasswordItem {
  enum KeychainError: Error {
    case noPassword
    case unexpectedPasswordData
    case unhandledError(status: OSStatus)
  }

  let service: String
  private(set) var account: String
  var accessGroup: String?

  private var query: [String: AnyObject] {
    var query = [String: AnyObject]()
    query[kSecClass as String] = kSecClassGenericPassword
    query[kSecAttrService as String] = service as AnyObject?
    query[kSecAttrAccount as String] = account as AnyObject?
    if let accessGroup { query[kSecAttrAccessGroup as String] = accessGroup as AnyObject? }
    return query
  }

  func read() throws -> String {
    var query = self.query
    query[kSecMatchLimit as String] = kSecMatchLimitOne
    query[kSecReturnAttributes as String] = kCFBooleanTrue
    query[kSecReturnData as String] = kCFBooleanTrue
    var result: AnyObject?
    let status = withUnsafeMutablePointer(to: &result) {
      SecItemCopyMatching(query as CFDictionary, UnsafeMutablePointer($0))
    }
    guard status != errSecItemNotFound else { throw KeychainError.noPassword }
    guard status == noErr else { throw KeychainError.unhandledError(status: status) }
    guard let found = result as? [String: AnyObject], let data = found[kSecValueData as String] as? Data,
      let password = String(data: data, encoding: .utf8)
    else { throw KeychainError.unexpectedPasswordData }
    return password
  }

  func save(_ password: String) throws {
    let encoded = password.data(using: .utf8)!
    do {
      _ = try read()
      let changes = [kSecValueData as String: encoded as AnyObject?]
      let status = SecItemUpdate(query as CFDictionary, changes as CFDictionary)
      guard status == noErr else { throw KeychainError.unhandledError(status: status) }
    } catch KeychainError.noPassword {
      var item = query
      item[kSecValueData as String] = encoded as AnyObject?
      let status = SecItemAdd(item as CFDictionary, nil)
      guard status == noErr else { throw KeychainError.unhandledError(status: status) }
    }
  }

  mutating func rename(_ name: String) throws {
    let changes = [kSecAttrAccount as String: name as AnyObject?]
    let status = SecItemUpdate(query as CFDictionary, changes as CFDictionary)
    guard status == noErr || status == errSecItemNotFound else { throw KeychainError.unhandledError(status: status) }
    account = name
  }

  func delete() throws {
    let status = SecItemDelete(query as CFDictionary)
    guard status == noErr || status == errSecItemNotFound else { throw KeychainError.unhandledError(status: status) }
  }
}

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

/// Stores that apps put around the calls.
@Suite(.keychain) struct WrapperStoreTests {
  @Test func `a struct for one password saves, reads, renames and deletes it`() throws {
    var item = PasswordItem(service: "example", account: "ada")
    #expect(throws: PasswordItem.KeychainError.self) { try item.read() }
    try item.save("one")
    try item.save("two")
    #expect(try item.read() == "two")
    try item.rename("bob")
    #expect(try item.read() == "two")
    #expect(throws: PasswordItem.KeychainError.self) { try PasswordItem(service: "example", account: "ada").read() }
    try item.delete()
    try item.delete()
    do {
      _ = try item.read()
      Issue.record("it is gone")
    } catch PasswordItem.KeychainError.noPassword {}
  }

  @Test func `a struct for one password meets only its own service and group`() throws {
    let group = try KeychainProgram.identifierPrefix + "com.example.app"
    let mine = PasswordItem(service: "mine", account: "ada", accessGroup: group)
    try mine.save("one")
    try PasswordItem(service: "yours", account: "ada").save("two")
    #expect(try mine.read() == "one")
    #expect(try PasswordItem(service: "mine", account: "ada").read() == "one")
    let foreign = PasswordItem(service: "mine", account: "ada", accessGroup: group + ".foreign")
    do {
      try foreign.save("three")
      Issue.record("the group is not the program's")
    } catch PasswordItem.KeychainError.unhandledError(let status) {
      #expect(status == errSecMissingEntitlement)
    }
  }

  @Test func `a subscript reads, sets and deletes`() {
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

  @Test func `a store tells the code of its last call`() {
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

  @Test func `prefixes keep the keys of two stores apart`() {
    let first = Keychain(keyPrefix: "first_"), second = Keychain(keyPrefix: "second_")
    first["token"] = "one"
    second["token"] = "two"
    #expect(first["token"] == "one")
    #expect(second["token"] == "two")
    first["token"] = nil
    #expect(second["token"] == "two")
    #expect(Keychain()["second_token"] == "two")
  }

  @Test func `a synchronizable store has values of its own, and reads both kinds`() {
    let local = Keychain(), cloud = Keychain()
    cloud.synchronizable = true
    local["local"] = "one"
    cloud["cloud"] = "two"
    #expect(local["cloud"] == nil)
    #expect(cloud["cloud"] == "two")
    #expect(cloud["local"] == "one")
  }

  @Test func `a property wrapper is the item`() {
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

  @Test func `a generic property wrapper has a default until something is stored`() {
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

  @Test func `a protocol hides the Keychain from what uses it`() throws {
    struct Tokens: Codable, Equatable { var access: String, refresh: String }
    struct Login {
      let store: TokenStore
      func logIn() throws -> Bool {
        guard try store.token(for: "user") == nil else { return true }
        try store.setToken("fresh", for: "user")
        return false
      }
    }
    let login = Login(store: KeychainTokenStore(service: "tokens"))
    #expect(try login.logIn() == false)
    #expect(try login.logIn() == true)
    try login.store.setToken(nil, for: "user")
    #expect(try login.logIn() == false)
  }

  @Test func `keys of an enum name the items`() {
    enum Key: String, CaseIterable { case accessToken, refreshToken, pin }
    let keychain = Keychain(keyPrefix: "com.example.")
    for key in Key.allCases { keychain[key.rawValue] = "\(key)" }
    #expect(Key.allCases.map { keychain[$0.rawValue] } == ["accessToken", "refreshToken", "pin"])
    Key.allCases.forEach { keychain.delete($0.rawValue) }
    #expect(Key.allCases.allSatisfy { keychain[$0.rawValue] == nil })
  }

  @Test func `members are looked up by the names of items`() {
    let members = KeychainMembers()
    members.password = "one"
    #expect(members.password == "one")
    #expect(members.other == nil)
    #expect(Keychain.shared["password"] == "one")
  }

  @Test func `a query is built step by step`() {
    let builder = QueryBuilder(kSecClassGenericPassword).service("example").account("ada")
    #expect(SecItemAdd(builder.value("one").accessible(kSecAttrAccessibleAfterFirstUnlock).query, nil) == errSecSuccess)
    var item: CFTypeRef?
    #expect(SecItemCopyMatching(builder.returning(kSecReturnData).query, &item) == errSecSuccess)
    #expect(item as? Data == Data("one".utf8))
    #expect(SecItemDelete(builder.query) == errSecSuccess)
  }
}

private protocol TokenStore {
  func token(for user: String) throws -> String?
  func setToken(_ token: String?, for user: String) throws
}

private struct KeychainTokenStore: TokenStore {
  let service: String

  func token(for user: String) throws -> String? {
    do { return try PasswordItem(service: service, account: user).read() } catch PasswordItem.KeychainError.noPassword {
      return nil
    }
  }

  func setToken(_ token: String?, for user: String) throws {
    let item = PasswordItem(service: service, account: user)
    if let token { try item.save(token) } else { try item.delete() }
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
