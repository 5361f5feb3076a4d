import Security
import Testing

/// The ways in which apps and libraries handle keys, access controls and errors.
@Suite struct ObjectFormTests {
  private func makeKey() throws -> SecKey {
    var error: Unmanaged<CFError>?
    let attributes: [String: Any] = [
      kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom,
      kSecAttrKeySizeInBits as String: 256,
      kSecPrivateKeyAttrs as String: [
        kSecAttrIsPermanent as String: false, kSecAttrApplicationTag as String: Data("com.example.key".utf8),
      ],
    ]
    guard let key = SecKeyCreateRandomKey(attributes as CFDictionary, &error) else {
      throw error!.takeRetainedValue() as Error
    }
    return key
  }

  @Test func `A result that is a key casts to SecKey`() throws {
    let key = try makeKey()
    var item: CFTypeRef? = key
    #expect(item as! SecKey == key)
    #expect((item as? SecKey) === key)
    if let found = item, CFGetTypeID(found) == SecKeyGetTypeID() {
      #expect(unsafeBitCast(found, to: SecKey.self) === key)
    } else {
      Issue.record("the key is none")
    }
    let query = [kSecValueRef as String: key, kSecClass as String: kSecClassKey] as [String: Any] as CFDictionary
    #expect(query[kSecValueRef as String] as! SecKey === key)
    item = nil
    #expect(item == nil)
  }

  @Test func `Keys sign and verify as in articles`() throws {
    let privateKey = try makeKey()
    guard let publicKey = SecKeyCopyPublicKey(privateKey) else { throw CancellationError() }
    let algorithm: SecKeyAlgorithm = .ecdsaSignatureMessageX962SHA256
    #expect(SecKeyIsAlgorithmSupported(privateKey, .sign, algorithm))
    let data = "text".data(using: .utf8)!
    var error: Unmanaged<CFError>?
    guard let signature = SecKeyCreateSignature(privateKey, algorithm, data as CFData, &error) as Data? else {
      throw error!.takeRetainedValue() as Error
    }
    #expect(SecKeyVerifySignature(publicKey, algorithm, data as CFData, signature as CFData, &error))
    guard let exported = SecKeyCopyExternalRepresentation(publicKey, &error) as Data? else {
      throw error!.takeRetainedValue() as Error
    }
    let options: [String: Any] = [
      kSecAttrKeyType as String: kSecAttrKeyTypeEC, kSecAttrKeyClass as String: kSecAttrKeyClassPublic,
      kSecAttrKeySizeInBits as String: 256,
    ]
    #expect(SecKeyCreateWithData(exported as CFData, options as CFDictionary, &error) == publicKey)
    let attributes = SecKeyCopyAttributes(publicKey) as! [CFString: Any]
    #expect(attributes[kSecAttrKeySizeInBits] as? Int == 256)
    #expect(error == nil)
  }

  @Test func `Errors cast and compare`() {
    var error: Unmanaged<CFError>?
    let key = SecKeyCreateWithData(Data([1, 2, 3]) as CFData, [:] as CFDictionary, &error)
    #expect(key == nil)
    let cfError = error!.takeRetainedValue()
    #expect(CFErrorGetCode(cfError) == Int(errSecParam))
    #expect(CFErrorGetDomain(cfError) as String == NSOSStatusErrorDomain)
    #expect((CFErrorCopyDescription(cfError) as String).contains("parameters"))
    #expect((CFErrorCopyUserInfo(cfError) as? [String: Any])?.isEmpty == false)
    let thrown: Error = cfError
    #expect((thrown as NSError).code == -50)
    let status: OSStatus = errSecItemNotFound
    let wrapped = NSError(domain: NSOSStatusErrorDomain, code: Int(status), userInfo: nil)
    #expect(wrapped.code == -25300)
    switch status {
    case errSecSuccess, noErr: Issue.record("no success")
    case errSecItemNotFound: break
    default: Issue.record("another status")
    }
    let message = SecCopyErrorMessageString(status, nil) as String? ?? "Unknown error"
    #expect(message.hasPrefix("The specified item"))
  }

  @Test func `Access controls are created as in articles`() throws {
    var error: Unmanaged<CFError>?
    guard
      let access = SecAccessControlCreateWithFlags(
        kCFAllocatorDefault, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly,
        [.biometryCurrentSet, .or, .devicePasscode],
        &error)
    else { throw error!.takeRetainedValue() as Error }
    let query: [String: Any] = [kSecAttrAccessControl as String: access as Any]
    #expect(query[kSecAttrAccessControl as String] as! SecAccessControl === access)
    #expect(SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, .userPresence, nil) != nil)
    let none = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, [.and, .or], &error)
    #expect(none == nil)
    #expect(error?.takeRetainedValue().code == Int(errSecParam))
  }

  @Test func `Random bytes are generated as in articles`() {
    var bytes = [UInt8](repeating: 0, count: 32)
    #expect(SecRandomCopyBytes(kSecRandomDefault, bytes.count, &bytes) == errSecSuccess)
    #expect(Set(bytes).count > 8)
    var data = Data(count: 32)
    let status = data.withUnsafeMutableBytes { SecRandomCopyBytes(kSecRandomDefault, 32, $0.baseAddress!) }
    #expect(status == errSecSuccess)
    #expect(Set(data).count > 8)
  }
}
