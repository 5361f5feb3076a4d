import LocalAuthentication
import Security

/// A call that failed.
struct KeychainError: Error {
  let call: String
  let status: OSStatus
  let explanation: String

  /// Reads the thread's explanation, and so must be created right after the call on the same thread.
  init(_ call: String, _ status: OSStatus) {
    self.call = call
    self.status = status
    let explanation = SecCopyLastErrorExplanation() ?? SecCopyErrorMessageString(status, nil)
    self.explanation = explanation.map { $0 as String } ?? ""
  }

  /// Creates an error for a call that succeeded with a result other than the expected one.
  init(_ call: String, wrongResult: Any?) {
    self.call = call
    status = errSecInternalError
    explanation = "the result is \(wrongResult.map { "of type \(type(of: $0))" } ?? "missing")"
  }
}

/// The generic passwords of an app.
struct Keychain {
  var service: String?
  var group: String?
  var isSynchronizable = false
  var context: LAContext?
  var authenticationUI: String?

  /// Returns the query for an item, or for all items if there is no account.
  private func query(_ account: String?) -> [String: Any] {
    var query: [String: Any] = [kSecClass as String: kSecClassGenericPassword]
    query[kSecAttrService as String] = service
    query[kSecAttrAccount as String] = account
    query[kSecAttrAccessGroup as String] = group
    if isSynchronizable { query[kSecAttrSynchronizable as String] = true }
    query[kSecUseAuthenticationContext as String] = context
    query[kSecUseAuthenticationUI as String] = authenticationUI
    return query
  }

  func add(_ account: String, _ value: Data, _ attributes: [String: Any] = [:]) throws {
    var item = query(account).merging(attributes) { $1 }
    item[kSecValueData as String] = value
    try check("SecItemAdd", SecItemAdd(item as CFDictionary, nil))
  }

  func value(of account: String) throws -> Data {
    var query = query(account)
    query[kSecMatchLimit as String] = kSecMatchLimitOne
    query[kSecReturnData as String] = true
    var result: CFTypeRef?
    try check("SecItemCopyMatching", SecItemCopyMatching(query as CFDictionary, &result))
    guard let value = result as? Data else { throw KeychainError("SecItemCopyMatching", wrongResult: result) }
    return value
  }

  func update(_ account: String, _ attributes: [String: Any]) throws {
    try check("SecItemUpdate", SecItemUpdate(query(account) as CFDictionary, attributes as CFDictionary))
  }

  func delete(_ account: String) throws {
    try check("SecItemDelete", SecItemDelete(query(account) as CFDictionary))
  }

  /// Returns the attributes of every item, with its value on request; empty if there is none.
  func list(withValues: Bool = false) throws -> [[String: Any]] {
    var query = query(nil)
    if withValues { query[kSecReturnData as String] = true }
    query[kSecMatchLimit as String] = kSecMatchLimitAll
    query[kSecReturnAttributes as String] = true
    var result: CFTypeRef?
    let status = SecItemCopyMatching(query as CFDictionary, &result)
    if status == errSecItemNotFound { return [] }
    try check("SecItemCopyMatching", status)
    guard let items = result as? [[String: Any]] else {
      throw KeychainError("SecItemCopyMatching", wrongResult: result)
    }
    return items
  }

  private func check(_ call: String, _ status: OSStatus) throws {
    guard status == errSecSuccess else { throw KeychainError(call, status) }
  }
}
