// swift-format-ignore-file: NeverForceUnwrap
// Existing code forces casts and optionals, and is copied here unchanged.

import Security
import Testing

/// A struct for one password, whose functions throw errors.
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

/// A struct for one password, and code that apps build on it.
@Suite(.keychain) struct PasswordItemTests {
  @Test func `A struct for one password saves, reads, renames and deletes it`() throws {
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

  @Test func `A struct for one password affects only its own service and group`() throws {
    let group = try KeychainApp.identifierPrefix + "com.example.app"
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

  @Test func `A protocol hides the Keychain from its users`() throws {
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
}
