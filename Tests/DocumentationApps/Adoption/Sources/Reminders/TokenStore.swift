import Foundation

struct TokenStore {
  let account: String

  private var query: [String: Any] {
    [
      kSecClass as String: kSecClassGenericPassword,
      kSecAttrService as String: "com.example.reminders",
      kSecAttrAccount as String: account,
      kSecAttrAccessGroup as String: "ABCDE12345.com.example.suite",
    ]
  }

  func save(_ token: String) throws {
    let value = [kSecValueData as String: Data(token.utf8)]
    var status = SecItemUpdate(query as CFDictionary, value as CFDictionary)
    if status == errSecItemNotFound {
      status = SecItemAdd(query.merging(value) { $1 } as CFDictionary, nil)
    }
    guard status == errSecSuccess else { throw KeychainError(status: status) }
  }

  func load() throws -> String? {
    var result: CFTypeRef?
    let wanted = query.merging([kSecReturnData as String: true]) { $1 }
    let status = SecItemCopyMatching(wanted as CFDictionary, &result)
    if status == errSecItemNotFound { return nil }
    guard status == errSecSuccess, let data = result as? Data else { throw KeychainError(status: status) }
    return String(decoding: data, as: UTF8.self)
  }
}

struct KeychainError: LocalizedError {
  let status: OSStatus

  var errorDescription: String? { SecCopyErrorMessageString(status, nil) as String? }
}
