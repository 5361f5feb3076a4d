// swift-format-ignore-file: NeverForceUnwrap
// Existing code forces casts and optionals, and is copied here unchanged.

import LocalAuthentication
import Security
import Testing

/// A store whose items need the owner, as wrappers for the Secure Enclave are written: its keys guard items on Apple's
/// devices, but the items themselves are passwords under an access control.
private final class GuardedStore {
  private let service: String
  private let flags: SecAccessControlCreateFlags

  init(service: String, flags: SecAccessControlCreateFlags) {
    self.service = service
    self.flags = flags
  }

  private func baseQuery(_ key: String? = nil) -> [String: AnyHashable] {
    var query: [String: AnyHashable] = [
      kSecClass as String: kSecClassGenericPassword as String, kSecAttrService as String: service,
      kSecUseDataProtectionKeychain as String: true,
    ]
    query[kSecAttrAccount as String] = key
    return query
  }

  func set(_ value: String, forKey key: String) -> OSStatus {
    // Guarded items are replaced, so that no prompt is shown for the old value.
    SecItemDelete(baseQuery(key) as CFDictionary)
    var item = baseQuery(key)
    item[kSecAttrAccessControl as String] =
      SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, flags, nil)!
    item[kSecValueData as String] = Data(value.utf8)
    return SecItemAdd(item as CFDictionary, nil)
  }

  func string(forKey key: String, prompt: String, context: LAContext? = nil) -> (OSStatus, String?) {
    var query = baseQuery(key)
    query[kSecReturnData as String] = true
    query[kSecUseOperationPrompt as String] = prompt
    query[kSecUseAuthenticationContext as String] = context
    var result: AnyObject?
    let status = SecItemCopyMatching(query as CFDictionary, &result)
    return (status, (result as? Data).map { String(decoding: $0, as: UTF8.self) })
  }

  /// Whether a key exists, found out without a prompt.
  func contains(_ key: String) -> Bool {
    let context = LAContext()
    context.interactionNotAllowed = true
    return string(forKey: key, prompt: "", context: context).0 == errSecInteractionNotAllowed
  }

  func allKeys() -> Set<String> {
    var query = baseQuery()
    query[kSecReturnAttributes as String] = true
    query[kSecMatchLimit as String] = kSecMatchLimitAll as String
    var result: AnyObject?
    guard SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess else { return [] }
    return Set((result as! [[String: Any]]).compactMap { $0[kSecAttrAccount as String] as? String })
  }
}

/// Guarded items in a suite that sets no prompter, with prepared outcomes of prompts.
@Suite struct GuardedItemTests {
  private static let conditions: [SecAccessControlCreateFlags] = [
    .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, [.biometryAny, .or, .devicePasscode],
    [.userPresence, .privateKeyUsage],
  ]

  @Test(.keychain(passphrase: "sesame", prompts: "approve"), arguments: conditions)
  func `Items under each condition are stored, found without a prompt and read`(
    _ flags: SecAccessControlCreateFlags
  ) async throws {
    try await ScriptedPrompter.withoutPrompter {
      let store = GuardedStore(service: "com.example.guarded", flags: flags)
      for value in ["first", "second"] { #expect(store.set(value, forKey: "token") == errSecSuccess) }
      #expect(store.contains("token") && !store.contains("other"))
      #expect(store.allKeys() == ["token"])
      #expect(store.string(forKey: "token", prompt: "why") == (errSecSuccess, "second"))
    }
  }

  @Test(.keychain(passphrase: "sesame", prompts: "cancel,fail,approve"))
  func `A suite can have prompts cancelled and failed`() async throws {
    try await ScriptedPrompter.withoutPrompter {
      let store = GuardedStore(service: "com.example.guarded", flags: .userPresence)
      #expect(store.set("v", forKey: "token") == errSecSuccess)
      #expect(store.string(forKey: "token", prompt: "why") == (errSecUserCanceled, nil))
      #expect(store.string(forKey: "token", prompt: "why") == (errSecAuthFailed, nil))
      let context = LAContext()
      for _ in 0..<2 { #expect(store.string(forKey: "token", prompt: "why", context: context) == (errSecSuccess, "v")) }
    }
  }

  @Test(.keychain(passphrase: "sesame", prompts: "approve"))
  func `A key under a condition for its use signs after a prompt`() async throws {
    try await ScriptedPrompter.withoutPrompter {
      let access = SecAccessControlCreateWithFlags(
        kCFAllocatorDefault, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, [.privateKeyUsage, .biometryCurrentSet], nil)!
      let tag = Data("com.example.signing".utf8)
      let attributes: [String: Any] = [
        kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits as String: 256,
        kSecPrivateKeyAttrs as String: [
          kSecAttrIsPermanent as String: true, kSecAttrApplicationTag as String: tag,
          kSecAttrAccessControl as String: access,
        ],
      ]
      let key = try #require(SecKeyCreateRandomKey(attributes as CFDictionary, nil))
      let query: [String: Any] = [
        kSecClass as String: kSecClassKey, kSecAttrApplicationTag as String: tag, kSecReturnRef as String: true,
      ]
      var item: CFTypeRef?
      #expect(SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess)
      let found = item as! SecKey
      let message = Data([1, 2, 3]) as CFData
      let signature = SecKeyCreateSignature(found, .ecdsaSignatureMessageX962SHA256, message, nil)
      let publicKey = try #require(SecKeyCopyPublicKey(key))
      #expect(SecKeyVerifySignature(publicKey, .ecdsaSignatureMessageX962SHA256, message, signature!, nil))
    }
  }

  /// Adds an item under a password that the program sets.
  private func add(_ account: String, password: String, _ flags: SecAccessControlCreateFlags) -> OSStatus {
    let context = LAContext()
    context.setCredential(Data(password.utf8), type: .applicationPassword)
    let access = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, flags, nil)!
    let item: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: account,
      kSecAttrAccessControl as String: access, kSecUseAuthenticationContext as String: context,
      kSecValueData as String: Data(account.utf8),
    ]
    return SecItemAdd(item as CFDictionary, nil)
  }

  private func read(_ account: String) -> (OSStatus, Data?) {
    let query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: account, kSecReturnData as String: true,
    ]
    var item: CFTypeRef?
    let status = SecItemCopyMatching(query as CFDictionary, &item)
    return (status, item as? Data)
  }

  @Test(.keychain(passphrase: "sesame", prompts: "approve"))
  func `One prepared outcome approves prompts for the passphrase and for each item's own password`() async throws {
    try await ScriptedPrompter.withoutPrompter {
      #expect(add("first", password: "tr0ub4dor", .applicationPassword) == errSecSuccess)
      #expect(add("second", password: "correct horse", [.userPresence, .applicationPassword]) == errSecSuccess)
      let store = GuardedStore(service: "s", flags: .userPresence)
      #expect(store.set("v", forKey: "third") == errSecSuccess)
      for account in ["first", "second", "first"] { #expect(read(account) == (errSecSuccess, Data(account.utf8))) }
      #expect(store.string(forKey: "third", prompt: "why") == (errSecSuccess, "v"))
      // Also with a context that is asked for the password before the item is known.
      let access = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, .applicationPassword, nil)!
      let context = LAContext()
      let isSatisfied = try await context.evaluateAccessControl(access, operation: .useItem, localizedReason: "why")
      #expect(isSatisfied)
    }
  }

  @Test(.keychain(passphrase: "sesame", prompts: "cancel,fail,approve"))
  func `A prompt for an item's own password can be cancelled and failed`() async throws {
    try await ScriptedPrompter.withoutPrompter {
      #expect(add("first", password: "tr0ub4dor", .applicationPassword) == errSecSuccess)
      #expect(read("first") == (errSecUserCanceled, nil))
      #expect(read("first") == (errSecAuthFailed, nil))
      #expect(read("first") == (errSecSuccess, Data("first".utf8)))
    }
  }

  @Test(.keychain(passphrase: "sesame"))
  func `Without a Secure Enclave no key has its token, and creating one fails with a reason`() throws {
    let query: [String: Any] = [
      kSecClass as String: kSecClassKey, kSecAttrKeyClass as String: kSecAttrKeyClassPrivate,
      kSecAttrTokenID as String: kSecAttrTokenIDSecureEnclave, kSecReturnRef as String: true,
    ]
    var item: CFTypeRef?
    #expect(SecItemCopyMatching(query as CFDictionary, &item) == errSecItemNotFound)
    #expect(SecItemDelete(query as CFDictionary) == errSecItemNotFound)
    let attributes: [String: Any] = [
      kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits as String: 256,
      kSecAttrTokenID as String: kSecAttrTokenIDSecureEnclave,
    ]
    var error: Unmanaged<CFError>?
    #expect(SecKeyCreateRandomKey(attributes as CFDictionary, &error) == nil)
    #expect(CFErrorGetCode(error!.takeRetainedValue()) == Int(errSecUnimplemented))
  }
}
