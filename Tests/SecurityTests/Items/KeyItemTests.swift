internal import Security
internal import Testing

@Suite struct KeyItemTests {
  private let byTag: Query = [kSecClass: kSecClassKey, kSecAttrApplicationTag: text("com.example.key")]

  private func object(_ query: Query) -> SecKey? { copy(query, [kSecReturnRef: true]).result as? SecKey }

  @Test(arguments: KeyVectors.all.keys)
  func `An added key is returned unchanged, with its attributes`(_ vector: KeyVectors.Key) throws {
    let key = try vector.privateKey
    let publicKey = try vector.publicKey
    try withKeychain {
      for half in [key, publicKey] {
        #expect(add([kSecValueRef: half, kSecAttrApplicationTag: text("com.example.key")]) == errSecSuccess)
        #expect(add([kSecValueRef: half, kSecAttrApplicationTag: text("com.example.key")]) == errSecDuplicateItem)
      }
      let privateOnly = byTag.merging([kSecAttrKeyClass: kSecAttrKeyClassPrivate]) { $1 }
      #expect(object(privateOnly) == key)
      #expect(object(byTag.merging([kSecAttrKeyClass: kSecAttrKeyClassPublic]) { $1 }) == publicKey)
      let attributes = try #require(list(privateOnly).first)
      #expect(attributes[kSecAttrKeySizeInBits] as? Int == vector.sizeInBits)
      #expect(attributes[kSecAttrKeyType] as? Int == (vector.isRSA ? 42 : 73))
      #expect(attributes[kSecAttrKeyClass] as? Int == 1)
      #expect(attributes[kSecAttrApplicationLabel] as? Data == Data(hex: vector.label))
      #expect(attributes[kSecAttrIsPermanent] as? Bool == true)
      let data = try #require(value(privateOnly))
      #expect(data == Data(hex: vector.private))
      // Found by the object itself.
      #expect(object([kSecValueRef: key]) == key)
      #expect(delete([kSecValueRef: key]) == errSecSuccess)
      #expect(object(byTag) == publicKey)
    }
  }

  @Test func `A key added by its data and attributes is returned as an object too`() throws {
    let vector = try #require(KeyVectors.all.keys.first { !$0.isRSA })
    let expected = try vector.publicKey
    try withKeychain {
      let item: Query = [
        kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClass: kSecAttrKeyClassPublic,
        kSecValueData: Data(hex: vector.public),
      ]
      #expect(add(byTag.merging(item) { $1 }) == errSecSuccess)
      #expect(object(byTag) == expected)
      // The label is up to the caller: items without one have the same primary key, whatever their data.
      #expect(list(byTag).first?[kSecAttrApplicationLabel] as? Data == Data())
    }
  }

  @Test func `A permanent key is stored when it is made, with its own attributes`() throws {
    try withKeychain {
      let key = try #require(
        made([
          kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits as String: 256,
          kSecAttrLabel as String: "label",
          kSecPrivateKeyAttrs as String: [
            kSecAttrIsPermanent as String: true, kSecAttrApplicationTag as String: text("com.example.key"),
            kSecAttrAccessGroup as String: TemporaryKeychain.shared,
          ],
        ]))
      #expect(object(byTag) == key)
      let attributes = try #require(list(byTag).first)
      #expect(attributes[kSecAttrLabel] as? String == "label")
      #expect((attributes[kSecAttrAccessGroup] as? String)?.hasSuffix(TemporaryKeychain.shared) == true)
      #expect(list([kSecClass: kSecClassKey]).count == 1)
      let stored = try #require(object(byTag))
      let signature = try #require(signed(text("m"), by: stored, .ecdsaSignatureMessageX962SHA256))
      let publicKey = try #require(SecKeyCopyPublicKey(key))
      #expect(verifies(signature, of: text("m"), by: publicKey, .ecdsaSignatureMessageX962SHA256))
    }
  }

  @Test func `Both halves of a pair can be permanent, and a pair is stored as a whole or not at all`() throws {
    try withKeychain {
      var parameters: [String: Any] = [
        kSecAttrKeyType as String: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits as String: 2048,
        kSecPrivateKeyAttrs as String: [kSecAttrIsPermanent as String: true],
        kSecPublicKeyAttrs as String: [kSecAttrIsPermanent as String: true],
      ]
      var publicKey: SecKey?
      var privateKey: SecKey?
      let status = unsafe SecKeyGeneratePair(parameters as CFDictionary, &publicKey, &privateKey)
      #expect(status == errSecSuccess)
      #expect(list([kSecClass: kSecClassKey]).count == 2)
      #expect(object([kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPublic]) == publicKey)
      #expect(object([kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPrivate]) == privateKey)
      parameters[kSecPublicKeyAttrs as String] = [
        kSecAttrIsPermanent as String: true, kSecAttrAccessGroup as String: "com.example.foreign",
      ]
      let refused = unsafe SecKeyGeneratePair(parameters as CFDictionary, &publicKey, &privateKey)
      #expect(refused == errSecMissingEntitlement)
      #expect(list([kSecClass: kSecClassKey]).count == 2)
    }
  }

  @Test func `A permanent key that cannot be stored is not created, and the error gives the reason`() throws {
    try withKeychain {
      let parameters: [String: Any] = [
        kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits as String: 256,
        kSecAttrIsPermanent as String: true, kSecAttrAccessGroup as String: "com.example.foreign",
      ]
      let error = unsafe failure { unsafe SecKeyCreateRandomKey(parameters as CFDictionary, $0) }
      #expect(error?.code == Int(errSecMissingEntitlement))
      #expect(made(parameters) == nil)
    }
  }

  @Test func `No key is created if one half of the pair names a token that should make it`() throws {
    try withKeychain {
      for half in [kSecPrivateKeyAttrs, kSecPublicKeyAttrs] {
        for isPermanent in [true, false] {
          let parameters: [String: Any] = [
            kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits as String: 256,
            half as String: [
              kSecAttrIsPermanent as String: isPermanent, kSecAttrTokenID as String: kSecAttrTokenIDSecureEnclave,
            ] as [String: Any],
          ]
          let error = unsafe failure { unsafe SecKeyCreateRandomKey(parameters as CFDictionary, $0) }
          #expect(error?.code == Int(errSecUnimplemented))
          #expect(made(parameters) == nil)
        }
      }
      let hinted: [String: Any] = [
        kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits as String: 256,
        kSecPrivateKeyAttrs as String: [
          kSecAttrIsPermanent as String: true, kSecAttrSyncViewHint as String: "x",
        ] as [String: Any],
      ]
      let error = unsafe failure { unsafe SecKeyCreateRandomKey(hinted as CFDictionary, $0) }
      #expect(error?.code == Int(errSecUnimplemented))
      #expect(list([kSecClass: kSecClassKey]).isEmpty)
    }
  }

  @Test func `Data that is not a key is found, and is errSecDecode as an object`() throws {
    try withKeychain {
      #expect(add(byTag.merging([kSecValueData: text("no key")]) { $1 }) == errSecSuccess)
      #expect(value(byTag) == text("no key"))
      #expect(copy(byTag, [kSecReturnRef: true]).status == errSecDecode)
      let key = try KeyVectors.all.keys[0].privateKey
      #expect(add([kSecValueRef: key]) == errSecSuccess)
      // Among several results, an item that is not a key is left out.
      let all: Query = [kSecClass: kSecClassKey, kSecMatchLimit: kSecMatchLimitAll]
      #expect(copy(all, [kSecReturnRef: true]).result as? [SecKey] == [key])
    }
  }

  @Test func `A key under an access control prompts before it is returned`() throws {
    try withKeychain(passphrase: "correct") {
      let control = try accessControl(kSecAttrAccessibleWhenUnlocked, [.privateKeyUsage, .userPresence])
      let parameters: [String: Any] = [
        kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits as String: 256,
        kSecPrivateKeyAttrs as String: [
          kSecAttrIsPermanent as String: true, kSecAttrAccessControl as String: control,
        ],
      ]
      #expect(made(parameters) != nil)
      let fail: Query = [kSecUseAuthenticationUI: kSecUseAuthenticationUIFail]
      let key: Query = [kSecClass: kSecClassKey]
      #expect(copy(key.merging(fail) { $1 }, [kSecReturnRef: true]).status == errSecInteractionNotAllowed)
      #expect(list(key).first?[kSecAttrAccessControl] as? SecAccessControl == control)
    }
  }

  @Test func `A class other than the object's is errSecParam`() throws {
    let key = try KeyVectors.all.keys[0].privateKey
    try withKeychain {
      #expect(add([kSecClass: kSecClassCertificate, kSecValueRef: key]) == errSecParam)
      #expect(add([kSecClass: kSecClassKey, kSecValueRef: "no key"]) == errSecParam)
      #expect(add([kSecClass: kSecClassKey, kSecValueRef: key]) == errSecSuccess)
    }
  }
}
