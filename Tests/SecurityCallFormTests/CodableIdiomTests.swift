import Security
import Testing

private enum StoreError: Error, Equatable {
  case notFound
  case undecodable
  case status(OSStatus)
}

/// Codable values by key, as in many apps.
private struct CodableStore {
  var service = "com.example.app"
  var encoder = JSONEncoder()
  var decoder = JSONDecoder()

  private func query(_ key: String) -> [String: Any] {
    [kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service, kSecAttrAccount as String: key]
  }

  func save<T: Encodable>(_ value: T, for key: String) throws {
    let data = try encoder.encode(value)
    var query = query(key)
    query[kSecValueData as String] = data
    var status = SecItemAdd(query as CFDictionary, nil)
    if status == errSecDuplicateItem {
      status = SecItemUpdate(self.query(key) as CFDictionary, [kSecValueData: data] as CFDictionary)
    }
    guard status == errSecSuccess else { throw StoreError.status(status) }
  }

  func load<T: Decodable>(_ type: T.Type = T.self, for key: String) throws -> T {
    var query = query(key)
    query[kSecReturnData as String] = true
    var result: AnyObject?
    let status = SecItemCopyMatching(query as CFDictionary, &result)
    if status == errSecItemNotFound { throw StoreError.notFound }
    guard status == errSecSuccess, let data = result as? Data else { throw StoreError.status(status) }
    guard let value = try? decoder.decode(T.self, from: data) else { throw StoreError.undecodable }
    return value
  }

  func remove(_ key: String) throws {
    let status = SecItemDelete(query(key) as CFDictionary)
    guard status == errSecSuccess || status == errSecItemNotFound else { throw StoreError.status(status) }
  }
}

private struct Session: Codable, Equatable {
  var accessToken: String
  var refreshToken: String?
  var expires: Date
  var scopes: Set<String> = []

  func isExpired(at now: Date) -> Bool { expires <= now }
}

/// Swift values of all kinds as the data of items.
@Suite(.keychain) struct CodableIdiomTests {
  private let store = CodableStore()
  private let session = Session(
    accessToken: "a.b.c", refreshToken: "d", expires: Date(timeIntervalSince1970: 2_000_000_000.5), scopes: ["read"])

  @Test func `A struct is saved, replaced and loaded`() throws {
    try store.save(session, for: "session")
    #expect(try store.load(Session.self, for: "session") == session)
    var renewed = session
    renewed.accessToken = "e.f.g"
    renewed.refreshToken = nil
    try store.save(renewed, for: "session")
    let loaded: Session = try store.load(for: "session")
    #expect(loaded == renewed)
  }

  @Test func `Arrays, dictionaries and nested values are loaded unchanged`() throws {
    try store.save([session, session], for: "all")
    #expect(try store.load([Session].self, for: "all").count == 2)
    try store.save(["ada": session], for: "by name")
    #expect(try store.load([String: Session].self, for: "by name")["ada"] == session)
    try store.save(["π", "🔑", ""], for: "texts")
    #expect(try store.load([String].self, for: "texts") == ["π", "🔑", ""])
    try store.save([1: [true, false]], for: "nested")
    #expect(try store.load([Int: [Bool]].self, for: "nested") == [1: [true, false]])
  }

  @Test func `Single values and enums are loaded unchanged`() throws {
    enum Plan: String, Codable { case free, pro }
    try store.save(Plan.pro, for: "plan")
    #expect(try store.load(Plan.self, for: "plan") == .pro)
    try store.save(42, for: "number")
    #expect(try store.load(Int.self, for: "number") == 42)
    try store.save(Optional<String>.none, for: "nothing")
    #expect(try store.load(String?.self, for: "nothing") == nil)
    let id = UUID()
    try store.save(id, for: "id")
    #expect(try store.load(UUID.self, for: "id") == id)
    let url = try #require(URL(string: "https://example.com/path?query"))
    try store.save(url, for: "url")
    #expect(try store.load(URL.self, for: "url") == url)
  }

  @Test func `A missing item, a wrong type and a failed call are distinguished`() throws {
    #expect(throws: StoreError.notFound) { try store.load(Session.self, for: "session") }
    try store.save("a text", for: "session")
    #expect(throws: StoreError.undecodable) { try store.load(Session.self, for: "session") }
    #expect(try store.load(String.self, for: "session") == "a text")
    try store.remove("session")
    try store.remove("session")
    #expect(throws: StoreError.notFound) { try store.load(String.self, for: "session") }
  }

  @Test func `Coders with custom strategies read what they wrote`() throws {
    let store = store
    store.encoder.dateEncodingStrategy = .iso8601
    store.encoder.keyEncodingStrategy = .convertToSnakeCase
    store.encoder.outputFormatting = [.sortedKeys]
    store.decoder.dateDecodingStrategy = .iso8601
    store.decoder.keyDecodingStrategy = .convertFromSnakeCase
    var whole = session
    whole.expires = Date(timeIntervalSince1970: 2_000_000_000)
    try store.save(whole, for: "session")
    #expect(try store.load(Session.self, for: "session") == whole)
  }

  @Test func `A token is renewed once it has expired`() throws {
    func token(now: Date) throws -> String {
      var session = try store.load(Session.self, for: "session")
      if session.isExpired(at: now) {
        session.accessToken = "renewed by \(session.refreshToken ?? "nothing")"
        session.expires = now + 3600
        try store.save(session, for: "session")
      }
      return session.accessToken
    }
    try store.save(session, for: "session")
    #expect(try token(now: session.expires - 1) == "a.b.c")
    #expect(try token(now: session.expires) == "renewed by d")
    #expect(try token(now: session.expires + 1) == "renewed by d")
  }

  @Test func `Property lists and keyed archives are loaded unchanged`() throws {
    func keep(_ data: Data) throws -> Data {
      let item: [CFString: Any] = [
        kSecClass: kSecClassGenericPassword, kSecAttrAccount: UUID().uuidString, kSecValueData: data,
        kSecReturnData: true,
      ]
      var result: CFTypeRef?
      #expect(SecItemAdd(item as CFDictionary, &result) == errSecSuccess)
      return try #require(result as? Data)
    }
    let list = try keep(PropertyListEncoder().encode(session))
    #expect(try PropertyListDecoder().decode(Session.self, from: list) == session)
    let dictionary = ["user": "ada", "attempts": 3] as [String: Any]
    let serialized = try keep(PropertyListSerialization.data(fromPropertyList: dictionary, format: .binary, options: 0))
    let read = try PropertyListSerialization.propertyList(from: serialized, format: nil) as? [String: Any]
    #expect(read?["user"] as? String == "ada")
    #expect(read?["attempts"] as? Int == 3)
    let archive = try keep(
      NSKeyedArchiver.archivedData(withRootObject: ["one", "two"] as NSArray, requiringSecureCoding: true))
    let names = try NSKeyedUnarchiver.unarchivedObject(ofClasses: [NSArray.self, NSString.self], from: archive)
    #expect(names as? [String] == ["one", "two"])
    let json = try keep(JSONSerialization.data(withJSONObject: dictionary))
    #expect((try JSONSerialization.jsonObject(with: json) as? [String: Any])?["user"] as? String == "ada")
  }

  @Test func `Numbers and Booleans are stored as their bytes`() throws {
    func set<T>(_ value: T, _ key: String) -> Bool {
      let data = withUnsafeBytes(of: value) { Data($0) }
      let item: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrAccount: key, kSecValueData: data]
      SecItemDelete(item as CFDictionary)
      return SecItemAdd(item as CFDictionary, nil) == errSecSuccess
    }
    func get<T>(_ key: String, as type: T.Type) -> T? {
      let query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrAccount: key, kSecReturnData: true]
      var item: CFTypeRef?
      guard SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess, let data = item as? Data,
        data.count == MemoryLayout<T>.size
      else { return nil }
      return data.withUnsafeBytes { $0.loadUnaligned(as: T.self) }
    }
    #expect(set(-42, "int"))
    #expect(set(2.5, "double"))
    #expect(set(true, "bool"))
    #expect(set(UInt8(7), "byte"))
    #expect(get("int", as: Int.self) == -42)
    #expect(get("double", as: Double.self) == 2.5)
    #expect(get("bool", as: UInt8.self) == 1)
    #expect(get("byte", as: UInt8.self) == 7)
    #expect(get("int", as: UInt8.self) == nil)
  }

  @Test func `A device identifier is created once and found afterwards`() throws {
    func deviceID() throws -> UUID {
      if let known = try? store.load(UUID.self, for: "device") { return known }
      let new = UUID()
      try store.save(new, for: "device")
      return new
    }
    let first = try deviceID()
    #expect(try deviceID() == first)
    #expect(try deviceID() == first)
  }

  @Test func `Empty and large data are stored completely`() throws {
    for (index, data) in [Data(), Data([0]), Data(repeating: 0xFF, count: 65_536)].enumerated() {
      let item: [CFString: Any] = [
        kSecClass: kSecClassGenericPassword, kSecAttrAccount: "\(index)", kSecValueData: data,
      ]
      #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
      var query = item
      query[kSecValueData] = nil
      query[kSecReturnData] = true
      var result: CFTypeRef?
      #expect(SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess)
      #expect(result as? Data == data)
    }
  }
}
