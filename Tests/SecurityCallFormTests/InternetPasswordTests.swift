// swift-format-ignore-file: NeverForceUnwrap
// Existing code forces casts and optionals, and is copied here unchanged.

import Security
import Testing

private struct Credentials: Equatable {
  var username: String
  var password: String
}

private enum CredentialError: Error, Equatable {
  case none
  case unexpectedData
  case keychain(OSStatus)
}

/// Credentials of servers.
private struct CredentialStore {
  let server: String

  func add(_ credentials: Credentials) throws {
    let query: [String: Any] = [
      kSecClass as String: kSecClassInternetPassword, kSecAttrAccount as String: credentials.username,
      kSecAttrServer as String: server,
      kSecValueData as String: credentials.password.data(using: String.Encoding.utf8)!,
    ]
    let status = SecItemAdd(query as CFDictionary, nil)
    guard status == errSecSuccess else { throw CredentialError.keychain(status) }
  }

  func find() throws -> Credentials {
    let query: [String: Any] = [
      kSecClass as String: kSecClassInternetPassword, kSecAttrServer as String: server,
      kSecMatchLimit as String: kSecMatchLimitOne, kSecReturnAttributes as String: true,
      kSecReturnData as String: true,
    ]
    var item: CFTypeRef?
    let status = SecItemCopyMatching(query as CFDictionary, &item)
    guard status != errSecItemNotFound else { throw CredentialError.none }
    guard status == errSecSuccess else { throw CredentialError.keychain(status) }
    guard let found = item as? [String: Any], let data = found[kSecValueData as String] as? Data,
      let password = String(data: data, encoding: String.Encoding.utf8),
      let account = found[kSecAttrAccount as String] as? String
    else { throw CredentialError.unexpectedData }
    return Credentials(username: account, password: password)
  }

  func update(_ credentials: Credentials) throws {
    let query: [String: Any] = [kSecClass as String: kSecClassInternetPassword, kSecAttrServer as String: server]
    let attributes: [String: Any] = [
      kSecAttrAccount as String: credentials.username, kSecValueData as String: Data(credentials.password.utf8),
    ]
    let status = SecItemUpdate(query as CFDictionary, attributes as CFDictionary)
    guard status != errSecItemNotFound else { throw CredentialError.none }
    guard status == errSecSuccess else { throw CredentialError.keychain(status) }
  }

  func delete() throws {
    let query: [String: Any] = [kSecClass as String: kSecClassInternetPassword, kSecAttrServer as String: server]
    let status = SecItemDelete(query as CFDictionary)
    guard status == errSecSuccess || status == errSecItemNotFound else { throw CredentialError.keychain(status) }
  }
}

/// Passwords of servers, with all attributes that identify a server.
@Suite(.keychain) struct InternetPasswordTests {
  private func add(_ more: [CFString: Any], password: String = "secret") -> OSStatus {
    let attributes: [CFString: Any] = [
      kSecClass: kSecClassInternetPassword, kSecAttrServer: "www.example.com", kSecAttrAccount: "ada",
      kSecValueData: Data(password.utf8),
    ]
    return SecItemAdd(attributes.merging(more) { $1 } as CFDictionary, nil)
  }

  private func find(_ more: [CFString: Any]) -> [[CFString: Any]] {
    let query: [CFString: Any] = [
      kSecClass: kSecClassInternetPassword, kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true,
      kSecReturnData: true,
    ]
    var items: CFTypeRef?
    let status = SecItemCopyMatching(query.merging(more) { $1 } as CFDictionary, &items)
    #expect(status == (items == nil ? errSecItemNotFound : errSecSuccess))
    return items as? [[CFString: Any]] ?? []
  }

  @Test func `Credentials of a server are added, found, changed and deleted`() throws {
    let store = CredentialStore(server: "www.example.com")
    #expect(throws: CredentialError.none) { try store.find() }
    #expect(throws: CredentialError.none) { try store.update(Credentials(username: "ada", password: "one")) }
    try store.add(Credentials(username: "ada", password: "one"))
    #expect(try store.find() == Credentials(username: "ada", password: "one"))
    #expect(throws: CredentialError.keychain(errSecDuplicateItem)) {
      try store.add(Credentials(username: "ada", password: "two"))
    }
    try store.update(Credentials(username: "bob", password: "two"))
    #expect(try store.find() == Credentials(username: "bob", password: "two"))
    try store.delete()
    try store.delete()
    #expect(throws: CredentialError.none) { try store.find() }
  }

  @Test func `Credentials of two servers are separate`() throws {
    let first = CredentialStore(server: "one.example.com"), second = CredentialStore(server: "two.example.com")
    try first.add(Credentials(username: "ada", password: "one"))
    try second.add(Credentials(username: "ada", password: "two"))
    try first.delete()
    #expect(try second.find().password == "two")
    #expect(throws: CredentialError.none) { try first.find() }
  }

  @Test func `Protocol, port, path, realm and scheme each identify another password`() {
    let different: [[CFString: Any]] = [
      [:], [kSecAttrProtocol: kSecAttrProtocolHTTPS], [kSecAttrProtocol: kSecAttrProtocolSSH], [kSecAttrPort: 443],
      [kSecAttrPort: 8443], [kSecAttrPath: "/admin"], [kSecAttrSecurityDomain: "staff"],
      [kSecAttrAuthenticationType: kSecAttrAuthenticationTypeHTTPBasic],
      [kSecAttrAuthenticationType: kSecAttrAuthenticationTypeHTMLForm], [kSecAttrAccount: "bob"],
    ]
    for (number, attributes) in different.enumerated() {
      #expect(add(attributes, password: "\(number)") == errSecSuccess, "\(attributes)")
    }
    for attributes in different { #expect(add(attributes) == errSecDuplicateItem, "\(attributes)") }
    #expect(find([:]).count == different.count)
    #expect(
      find([kSecAttrProtocol: kSecAttrProtocolHTTPS]).compactMap { $0[kSecValueData] as? Data } == [Data("1".utf8)])
    #expect(find([kSecAttrPort: 8443]).compactMap { $0[kSecValueData] as? Data } == [Data("4".utf8)])
    #expect(find([kSecAttrPath: "/admin"]).compactMap { $0[kSecValueData] as? Data } == [Data("5".utf8)])
    #expect(find([kSecAttrSecurityDomain: "staff"]).compactMap { $0[kSecValueData] as? Data } == [Data("6".utf8)])
  }

  @Test func `Label, comment and description do not identify another password`() {
    #expect(add([kSecAttrLabel: "one"]) == errSecSuccess)
    #expect(add([kSecAttrLabel: "two", kSecAttrComment: "c", kSecAttrDescription: "d"]) == errSecDuplicateItem)
  }

  @Test func `A port is the same as Int, UInt16, NSNumber and text`() {
    #expect(add([kSecAttrPort: 443]) == errSecSuccess)
    #expect(add([kSecAttrPort: UInt16(443)]) == errSecDuplicateItem)
    #expect(add([kSecAttrPort: NSNumber(value: 443)]) == errSecDuplicateItem)
    #expect(add([kSecAttrPort: "443"]) == errSecDuplicateItem)
    #expect(find([kSecAttrPort: 443 as Int32]).first?[kSecAttrPort] as? Int == 443)
    #expect(find([kSecAttrPort: "443"]).first?[kSecAttrPort] as? NSNumber == 443)
  }

  @Test func `Protocol and scheme are returned as their constants`() {
    #expect(
      add([
        kSecAttrProtocol: kSecAttrProtocolHTTPS, kSecAttrAuthenticationType: kSecAttrAuthenticationTypeDefault,
      ]) == errSecSuccess)
    let found = find([:]).first
    #expect(found?[kSecAttrProtocol] as? String == kSecAttrProtocolHTTPS as String)
    #expect(found?[kSecAttrAuthenticationType] as? String == kSecAttrAuthenticationTypeDefault as String)
  }

  @Test func `A URL is converted to the query`() throws {
    func query(_ text: String) throws -> [CFString: Any] {
      let parts = try #require(URLComponents(string: text))
      let protocols = ["https": kSecAttrProtocolHTTPS, "http": kSecAttrProtocolHTTP, "ftp": kSecAttrProtocolFTP]
      var query: [CFString: Any] = [kSecClass: kSecClassInternetPassword, kSecAttrServer: parts.host ?? ""]
      if let name = parts.scheme { query[kSecAttrProtocol] = protocols[name] }
      if let port = parts.port { query[kSecAttrPort] = port }
      if !parts.path.isEmpty { query[kSecAttrPath] = parts.path }
      if let user = parts.user { query[kSecAttrAccount] = user }
      return query
    }
    var item = try query("https://ada@example.com:8443/admin")
    item[kSecValueData] = Data("secret".utf8)
    #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
    #expect(SecItemCopyMatching(try query("https://example.com:8443/admin") as CFDictionary, nil) == errSecSuccess)
    #expect(SecItemCopyMatching(try query("https://example.com") as CFDictionary, nil) == errSecSuccess)
    #expect(SecItemCopyMatching(try query("http://example.com") as CFDictionary, nil) == errSecItemNotFound)
    #expect(SecItemCopyMatching(try query("https://example.com:443") as CFDictionary, nil) == errSecItemNotFound)
    #expect(SecItemCopyMatching(try query("https://www.example.com") as CFDictionary, nil) == errSecItemNotFound)
  }

  @Test func `Accounts of a server are listed`() {
    for account in ["ada", "bob", "eve"] { #expect(add([kSecAttrAccount: account]) == errSecSuccess) }
    #expect(add([kSecAttrServer: "other.example.com", kSecAttrAccount: "mallory"]) == errSecSuccess)
    let accounts = find([kSecAttrServer: "www.example.com"]).compactMap { $0[kSecAttrAccount] as? String }
    #expect(accounts.sorted() == ["ada", "bob", "eve"])
  }

  @Test func `A search for a host finds its subdomains too`() {
    for server in ["example.com", "www.example.com", "notexample.com", "example.com.evil.test"] {
      #expect(add([kSecAttrServer: server]) == errSecSuccess)
    }
    let servers = find([kSecMatchHostOrSubdomainOfHost: "example.com"]).compactMap { $0[kSecAttrServer] as? String }
    #expect(servers.sorted() == ["example.com", "www.example.com"])
  }

  @Test func `A password of a server and one of an app are separate items`() {
    #expect(add([:]) == errSecSuccess)
    let generic: [CFString: Any] = [
      kSecClass: kSecClassGenericPassword, kSecAttrAccount: "ada", kSecValueData: Data("generic".utf8),
    ]
    #expect(SecItemAdd(generic as CFDictionary, nil) == errSecSuccess)
    #expect(SecItemDelete([kSecClass: kSecClassGenericPassword] as CFDictionary) == errSecSuccess)
    #expect(find([:]).count == 1)
  }
}
