// swift-format-ignore-file: NeverForceUnwrap
// Existing code forces casts and optionals, and is copied here unchanged.

import Security
import Testing

private enum KeyError: Error {
  case creation(CFError)
  case lookup(OSStatus)
}

/// A key that is made at first use and found by its tag afterwards.
private struct KeyStore {
  let tag: Data
  var type = kSecAttrKeyTypeECSECPrimeRandom
  var size = 256

  init(_ tag: String) { self.tag = tag.data(using: .utf8)! }

  func create() throws -> SecKey {
    let attributes: [String: Any] = [
      kSecAttrKeyType as String: type, kSecAttrKeySizeInBits as String: size,
      kSecPrivateKeyAttrs as String: [
        kSecAttrIsPermanent as String: true, kSecAttrApplicationTag as String: tag,
        kSecAttrLabel as String: "a key of the app",
      ],
    ]
    var error: Unmanaged<CFError>?
    guard let key = SecKeyCreateRandomKey(attributes as CFDictionary, &error) else {
      throw KeyError.creation(error!.takeRetainedValue())
    }
    return key
  }

  func find() throws -> SecKey? {
    let query: [String: Any] = [
      kSecClass as String: kSecClassKey, kSecAttrApplicationTag as String: tag, kSecAttrKeyType as String: type,
      kSecReturnRef as String: true,
    ]
    var item: CFTypeRef?
    let status = SecItemCopyMatching(query as CFDictionary, &item)
    if status == errSecItemNotFound { return nil }
    guard status == errSecSuccess else { throw KeyError.lookup(status) }
    return (item as! SecKey)
  }

  func findOrCreate() throws -> SecKey { try find() ?? create() }

  @discardableResult
  func delete() -> OSStatus {
    SecItemDelete([kSecClass: kSecClassKey, kSecAttrApplicationTag: tag] as CFDictionary)
  }
}

/// Keys that are made, stored, found by their tags, and used.
@Suite(.keychain) struct KeyIdiomTests {
  private let store = KeyStore("com.example.keys.mykey")

  private func makeKey() throws -> SecKey {
    var error: Unmanaged<CFError>?
    let attributes = [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 256] as [CFString: Any]
    guard let key = SecKeyCreateRandomKey(attributes as CFDictionary, &error) else {
      throw error!.takeRetainedValue() as Error
    }
    return key
  }

  @Test func `A permanent key is found by its tag and signs`() throws {
    #expect(try store.find() == nil)
    let made = try store.create()
    let found = try #require(try store.find())
    #expect(found == made)
    let message = "message".data(using: .utf8)!
    var error: Unmanaged<CFError>?
    guard let signature = SecKeyCreateSignature(found, .ecdsaSignatureMessageX962SHA256, message as CFData, &error)
    else {
      throw error!.takeRetainedValue() as Error
    }
    let publicKey = try #require(SecKeyCopyPublicKey(made))
    #expect(SecKeyVerifySignature(publicKey, .ecdsaSignatureMessageX962SHA256, message as CFData, signature, &error))
  }

  @Test func `A key is created once, and again after it was deleted`() throws {
    let first = try store.findOrCreate()
    #expect(try store.findOrCreate() == first)
    #expect(store.delete() == errSecSuccess)
    #expect(store.delete() == errSecItemNotFound)
    #expect(try store.findOrCreate() != first)
  }

  @Test func `Keys of two tags are separate`() throws {
    let other = KeyStore("com.example.keys.other")
    let mine = try store.create()
    let theirs = try other.create()
    #expect(mine != theirs)
    #expect(try store.find() == mine)
    #expect(try other.find() == theirs)
    store.delete()
    #expect(try other.find() == theirs)
  }

  @Test func `A permanent RSA key is found by its tag and signs`() throws {
    var store = store
    store.type = kSecAttrKeyTypeRSA
    store.size = 2048
    let made = try store.create()
    let found = try #require(try store.find())
    #expect(SecKeyGetBlockSize(found) == 256)
    let message = Data("message".utf8)
    let signature = try #require(
      SecKeyCreateSignature(found, .rsaSignatureMessagePKCS1v15SHA256, message as CFData, nil) as Data?)
    let publicKey = try #require(SecKeyCopyPublicKey(made))
    #expect(
      SecKeyVerifySignature(publicKey, .rsaSignatureMessagePKCS1v15SHA256, message as CFData, signature as CFData, nil))
    #expect(try KeyStore("com.example.keys.mykey").find() == nil)
  }

  @Test func `An existing key is stored by its reference`() throws {
    let key = try makeKey()
    let attributes: [String: Any] = [
      kSecClass as String: kSecClassKey, kSecAttrApplicationTag as String: store.tag, kSecValueRef as String: key,
    ]
    #expect(SecItemAdd(attributes as CFDictionary, nil) == errSecSuccess)
    #expect(SecItemAdd(attributes as CFDictionary, nil) == errSecDuplicateItem)
    #expect(try store.find() == key)
  }

  @Test func `A public key is stored next to its private one, and each is found by its class`() throws {
    let key = try makeKey()
    let publicKey = try #require(SecKeyCopyPublicKey(key))
    for stored in [key, publicKey] {
      let attributes: [CFString: Any] = [
        kSecClass: kSecClassKey, kSecAttrApplicationTag: store.tag, kSecValueRef: stored,
        kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock,
      ]
      #expect(SecItemAdd(attributes as CFDictionary, nil) == errSecSuccess)
    }
    func find(_ keyClass: CFString) -> SecKey? {
      let query: [CFString: Any] = [
        kSecClass: kSecClassKey, kSecAttrApplicationTag: store.tag, kSecAttrKeyClass: keyClass, kSecReturnRef: true,
      ]
      var item: CFTypeRef?
      guard SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess, let found = item,
        CFGetTypeID(found) == SecKeyGetTypeID()
      else { return nil }
      return (found as! SecKey)
    }
    #expect(find(kSecAttrKeyClassPrivate) == key)
    #expect(find(kSecAttrKeyClassPublic) == publicKey)
    #expect(find(kSecAttrKeyClassSymmetric) == nil)
  }

  @Test func `A public key is found by the label that is its hash`() throws {
    let key = try store.create()
    let attributes = try #require(SecKeyCopyAttributes(key) as? [CFString: Any])
    let label = try #require(attributes[kSecAttrApplicationLabel] as? Data)
    #expect(label.count == 20)
    let query: [CFString: Any] = [kSecClass: kSecClassKey, kSecAttrApplicationLabel: label, kSecReturnRef: true]
    var item: CFTypeRef?
    try #require(SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess)
    #expect((item as! SecKey) == key)
  }

  @Test func `The attributes of a stored key describe it`() throws {
    _ = try store.create()
    let query: [CFString: Any] = [
      kSecClass: kSecClassKey, kSecAttrApplicationTag: store.tag, kSecReturnAttributes: true, kSecReturnRef: true,
    ]
    var item: CFTypeRef?
    #expect(SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess)
    let found = try #require(item as? [CFString: Any])
    #expect(found[kSecAttrKeySizeInBits] as? Int == 256)
    #expect(found[kSecAttrApplicationTag] as? Data == store.tag)
    #expect(found[kSecAttrLabel] as? String == "a key of the app")
    #expect("\(found[kSecAttrKeyType] ?? "")" == kSecAttrKeyTypeEC as String)
    #expect("\(found[kSecAttrKeyClass] ?? "")" == kSecAttrKeyClassPrivate as String)
    let key = found[kSecValueRef] as! SecKey
    #expect(try key == store.find())
  }

  @Test func `A key is created again from the data of a stored key`() throws {
    let key = try store.create()
    let query: [CFString: Any] = [kSecClass: kSecClassKey, kSecAttrApplicationTag: store.tag, kSecReturnData: true]
    var item: CFTypeRef?
    #expect(SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess)
    let data = try #require(item as? Data)
    #expect(data == SecKeyCopyExternalRepresentation(key, nil) as Data?)
    let attributes: [CFString: Any] = [
      kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
    ]
    #expect(SecKeyCreateWithData(data as CFData, attributes as CFDictionary, nil) == key)
  }

  @Test func `A symmetric key's bytes are stored as a key, found by tag and replaced`() throws {
    func save(_ bytes: Data) -> OSStatus {
      let query: [CFString: Any] = [
        kSecClass: kSecClassKey, kSecAttrApplicationTag: Data("com.example.database".utf8), kSecAttrKeySizeInBits: 512,
      ]
      var attributes = query
      attributes[kSecValueData] = bytes
      let status = SecItemAdd(attributes as CFDictionary, nil)
      guard status == errSecDuplicateItem else { return status }
      return SecItemUpdate(query as CFDictionary, [kSecValueData: bytes] as CFDictionary)
    }
    var key = Data(count: 64)
    let random = key.withUnsafeMutableBytes { SecRandomCopyBytes(kSecRandomDefault, 64, $0.baseAddress!) }
    #expect(random == errSecSuccess)
    #expect(save(Data(repeating: 1, count: 64)) == errSecSuccess)
    #expect(save(key) == errSecSuccess)
    let query: [NSString: AnyObject] = [
      kSecClass: kSecClassKey, kSecAttrApplicationTag: Data("com.example.database".utf8) as AnyObject,
      kSecAttrKeySizeInBits: 512 as AnyObject, kSecReturnData: true as AnyObject,
    ]
    var item: AnyObject?
    #expect(withUnsafeMutablePointer(to: &item) { SecItemCopyMatching(query as CFDictionary, $0) } == errSecSuccess)
    #expect(item as? NSData as Data? == key)
  }

  @Test func `A key under an access control for its use is found and signs`() throws {
    let access = try #require(
      SecAccessControlCreateWithFlags(
        kCFAllocatorDefault, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, .privateKeyUsage, nil))
    let attributes: NSDictionary = [
      kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
      kSecPrivateKeyAttrs: [
        kSecAttrIsPermanent: true, kSecAttrApplicationTag: store.tag, kSecAttrAccessControl: access,
      ] as [CFString: Any],
    ]
    var error: Unmanaged<CFError>?
    let key = try #require(SecKeyCreateRandomKey(attributes, &error))
    let found = try #require(try store.find())
    let signature = SecKeyCreateSignature(found, .ecdsaSignatureMessageX962SHA256, Data([1]) as CFData, nil)
    #expect(signature != nil)
    #expect(found == key)
  }

  @Test func `Keys with a raw form are stored as passwords`() throws {
    struct Token: RawRepresentable, Equatable { let rawValue: Data }
    func store(_ key: Token, account: String) -> OSStatus {
      let query: [CFString: Any] = [
        kSecClass: kSecClassGenericPassword, kSecAttrAccount: account, kSecUseDataProtectionKeychain: true,
        kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked, kSecValueData: key.rawValue,
      ]
      return SecItemAdd(query as CFDictionary, nil)
    }
    func read(_ account: String) throws -> Token? {
      let query: [CFString: Any] = [
        kSecClass: kSecClassGenericPassword, kSecAttrAccount: account, kSecUseDataProtectionKeychain: true,
        kSecReturnData: true,
      ]
      var item: CFTypeRef?
      switch SecItemCopyMatching(query as CFDictionary, &item) {
      case errSecSuccess: return (item as? Data).map(Token.init)
      case errSecItemNotFound: return nil
      case let status: throw KeyError.lookup(status)
      }
    }
    let token = Token(rawValue: try #require(SecKeyCopyExternalRepresentation(try makeKey(), nil) as Data?))
    #expect(store(token, account: "signing") == errSecSuccess)
    #expect(try read("signing") == token)
    #expect(try read("other") == nil)
  }

  @Test func `Two keys made under one tag are two items, and both are deleted by the tag`() throws {
    let keys = [try store.create(), try store.create()]
    #expect(keys[0] != keys[1])
    let query: [CFString: Any] = [
      kSecClass: kSecClassKey, kSecAttrApplicationTag: store.tag, kSecMatchLimit: kSecMatchLimitAll,
      kSecReturnRef: true,
    ]
    var items: CFTypeRef?
    #expect(SecItemCopyMatching(query as CFDictionary, &items) == errSecSuccess)
    #expect(Set(items as? [SecKey] ?? []) == Set(keys))
    #expect(store.delete() == errSecSuccess)
    #expect(try store.find() == nil)
  }

  @Test func `A key moves to another tag and label by an update`() throws {
    let key = try store.create()
    let other = KeyStore("com.example.keys.renamed")
    let query: [CFString: Any] = [kSecClass: kSecClassKey, kSecAttrApplicationTag: store.tag]
    let changes: [CFString: Any] = [kSecAttrApplicationTag: other.tag, kSecAttrLabel: "renamed"]
    #expect(SecItemUpdate(query as CFDictionary, changes as CFDictionary) == errSecSuccess)
    #expect(try store.find() == nil)
    #expect(try other.find() == key)
  }

  @Test func `A key is deleted by its reference, and other keys are not`() throws {
    let key = try store.create()
    let other = KeyStore("com.example.keys.other")
    _ = try other.create()
    #expect(SecItemDelete([kSecClass: kSecClassKey, kSecValueRef: key] as CFDictionary) == errSecSuccess)
    #expect(try store.find() == nil)
    #expect(try other.find() != nil)
  }

  @Test func `A key is permanent if either dictionary says so`() throws {
    let flat: [String: Any] = [
      kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits as String: 256 as NSNumber,
      kSecAttrIsPermanent as String: true, kSecAttrApplicationTag as String: store.tag,
    ]
    let made = try #require(SecKeyCreateRandomKey(flat as CFDictionary, nil))
    #expect(try store.find() == made)
    #expect(try KeyStore("com.example.keys.unknown").find() == nil)
    let passing = try makeKey()
    let query: [CFString: Any] = [kSecClass: kSecClassKey, kSecValueRef: passing]
    #expect(SecItemCopyMatching(query as CFDictionary, nil) == errSecItemNotFound)
  }

  @Test func `A tag as text equals the tag as data`() throws {
    let key = try store.create()
    let query: [CFString: Any] = [
      kSecClass: kSecClassKey, kSecAttrApplicationTag: "com.example.keys.mykey", kSecReturnRef: true,
    ]
    var item: CFTypeRef?
    #expect(SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess)
    #expect(item as? SecKey == key)
  }

  @Test func `A pair from the older function is two keys, stored under their tags`() throws {
    let publicTag = Data("com.example.keys.public".utf8)
    let parameters: [String: Any] = [
      kSecAttrKeyType as String: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits as String: 256,
      kSecPrivateKeyAttrs as String: [
        kSecAttrIsPermanent as String: true, kSecAttrApplicationTag as String: store.tag,
      ] as [String: Any],
      kSecPublicKeyAttrs as String: [
        kSecAttrIsPermanent as String: true, kSecAttrApplicationTag as String: publicTag,
      ] as [String: Any],
    ]
    var publicKey, privateKey: SecKey?
    #expect(SecKeyGeneratePair(parameters as CFDictionary, &publicKey, &privateKey) == errSecSuccess)
    #expect(try store.find() == privateKey)
    var item: CFTypeRef?
    let query: [CFString: Any] = [kSecClass: kSecClassKey, kSecAttrApplicationTag: publicTag, kSecReturnRef: true]
    #expect(SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess)
    #expect(item as? SecKey == publicKey)
    #expect(publicKey == privateKey.flatMap(SecKeyCopyPublicKey))
  }
}
