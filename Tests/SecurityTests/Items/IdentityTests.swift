internal import Foundation
internal import LocalAuthentication
internal import Security
internal import Testing

@Suite struct IdentityTests {
  private let authority: CertificateAuthority

  init() throws { authority = try CertificateAuthority() }

  private let one: Query = [kSecClass: kSecClassIdentity]

  private func object(_ query: Query) -> SecIdentity? { copy(query, [kSecReturnRef: true]).result as? SecIdentity }

  @Test func `A private key and the certificate of its public key are an identity`() throws {
    let issued = try authority.issue("Jane Doe")
    let other = try authority.issue("Other")
    try withKeychain {
      #expect(add([kSecValueRef: issued.certificate]) == errSecSuccess)
      #expect(copy(one).status == errSecItemNotFound)
      #expect(add([kSecValueRef: other.key]) == errSecSuccess)
      #expect(copy(one).status == errSecItemNotFound)
      // The public half is not enough.
      #expect(add([kSecValueRef: try #require(SecKeyCopyPublicKey(issued.key))]) == errSecSuccess)
      #expect(copy(one).status == errSecItemNotFound)
      #expect(add([kSecValueRef: issued.key]) == errSecSuccess)
      let identity = try #require(object(one))
      #expect(identity == SecIdentity(certificate: issued.certificate, privateKey: issued.key))
      var key: SecKey?
      let status = unsafe SecIdentityCopyPrivateKey(identity, &key)
      #expect(status == errSecSuccess)
      #expect(key == issued.key)
    }
  }

  @Test func `Adding an identity adds both parts, and either may exist already`() throws {
    let issued = try authority.issue("Jane Doe")
    let identity = try #require(SecIdentity(certificate: issued.certificate, privateKey: issued.key))
    try withKeychain {
      #expect(add([kSecValueRef: issued.key]) == errSecSuccess)
      var result: CFTypeRef?
      let item: Query = [kSecValueRef: identity, kSecAttrLabel: "both", kSecReturnPersistentRef: true]
      let status = unsafe SecItemAdd(item as CFDictionary, &result)
      #expect(status == errSecSuccess)
      let reference = try #require(result as? Data)
      #expect(reference.prefix(4) == text("idnt"))
      #expect(object([kSecValuePersistentRef: reference]) == identity)
      #expect(add([kSecValueRef: identity]) == errSecDuplicateItem)
      #expect(list([kSecClass: kSecClassCertificate]).first?[kSecAttrLabel] as? String == "both")
      #expect(copy([kSecClass: kSecClassIdentity]).status == errSecSuccess)
      #expect(add(one) == errSecParam)
    }
  }

  @Test func `An identity has the attributes of its certificate and of its key`() throws {
    let issued = try authority.issue("Jane Doe", serial: 7)
    let identity = try #require(SecIdentity(certificate: issued.certificate, privateKey: issued.key))
    try withKeychain {
      #expect(add([kSecValueRef: identity, kSecAttrApplicationTag: text("tag")]) == errSecSuccess)
      let attributes = try #require(list(one).first)
      #expect(attributes[kSecClass] as? String == "idnt")
      #expect(attributes[kSecAttrSerialNumber] as? Data == Data([7]))
      #expect(attributes[kSecAttrApplicationTag] as? Data == text("tag"))
      #expect(attributes[kSecAttrKeySizeInBits] as? Int == 256)
      #expect(attributes[kSecAttrLabel] as? String == "Jane Doe")
      #expect(value(one) == issued.der)
      for query: Query in [
        [kSecAttrApplicationTag: text("tag")], [kSecAttrSerialNumber: Data([7])], [kSecAttrLabel: "Jane Doe"],
        [kSecMatchSubjectContains: "Doe"], [kSecMatchItemList: [identity]], [kSecMatchValidOnDate: Date()],
      ] {
        #expect(object(one.merging(query) { $1 }) == identity, "\(query)")
      }
      for query: Query in [
        [kSecAttrApplicationTag: text("other")], [kSecAttrSerialNumber: Data([8])], [kSecAttrLabel: "John"],
        [kSecAttrKeyClass: kSecAttrKeyClassPublic], [kSecMatchSubjectContains: "Roe"],
        [kSecMatchItemList: [] as [SecIdentity]],
      ] {
        #expect(copy(one.merging(query) { $1 }).status == errSecItemNotFound, "\(query)")
      }
      #expect(copy(one.merging([kSecAttrAccount: "x"]) { $1 }).status == errSecNoSuchAttr)
    }
  }

  @Test func `An identity is created of a certificate and its private key, and of nothing else`() throws {
    let issued = try authority.issue("Jane Doe")
    let other = try authority.issue("Other")
    let identity = try #require(SecIdentityCreate(nil, issued.certificate, issued.key))
    var (certificate, key): (SecCertificate?, SecKey?) = (nil, nil)
    let copied = unsafe [SecIdentityCopyCertificate(identity, &certificate), SecIdentityCopyPrivateKey(identity, &key)]
    #expect(copied == [errSecSuccess, errSecSuccess])
    #expect(certificate == issued.certificate && key == issued.key)
    #expect(SecIdentityCreate(kCFAllocatorDefault, issued.certificate, other.key) == nil)
    #expect(SecIdentityCreate(nil, issued.certificate, try #require(SecKeyCopyPublicKey(issued.key))) == nil)
    try withKeychain {
      #expect(copy(one).status == errSecItemNotFound)
      #expect(add([kSecValueRef: identity]) == errSecSuccess)
      #expect(object(one) == identity)
    }
  }

  @Test func `A call with an identity as kSecValueRef returns its persistent reference, and nothing else`() throws {
    let issued = try authority.issue("Jane Doe")
    let identity = try #require(SecIdentityCreate(nil, issued.certificate, issued.key))
    let wishes: [Query] = [
      [kSecReturnData: true], [kSecReturnAttributes: true], [kSecReturnRef: true],
      [kSecReturnPersistentRef: true, kSecReturnAttributes: true],
      [kSecReturnPersistentRef: true, kSecReturnData: true],
    ]
    for wish in wishes {
      try withKeychain {
        var result: CFTypeRef? = NSString(string: "before")
        let item = wish.merging([kSecValueRef: identity]) { $1 }
        let status = unsafe SecItemAdd(item as CFDictionary, &result)
        #expect(status == errSecSuccess && result == nil, "\(wish)")
        let found = copy([kSecValueRef: identity], wish)
        #expect(found.status == errSecSuccess && found.result == nil, "\(wish)")
        // A search by class returns it.
        #expect(copy(one, wish).result != nil, "\(wish)")
      }
    }
    try withKeychain {
      var result: CFTypeRef?
      let item: Query = [kSecValueRef: identity, kSecReturnPersistentRef: true, kSecReturnData: false]
      let status = unsafe SecItemAdd(item as CFDictionary, &result)
      #expect(status == errSecSuccess)
      let reference = try #require(result as? Data)
      #expect(object([kSecValuePersistentRef: reference]) == identity)
      #expect(copy([kSecValueRef: identity], [kSecReturnPersistentRef: true]).result as? Data == reference)
      let all: Query = [kSecReturnPersistentRef: true, kSecMatchLimit: kSecMatchLimitAll]
      #expect(copy([kSecValueRef: identity], all).result == nil)
    }
    try withKeychain { #expect(copy([kSecValueRef: identity], [kSecReturnData: true]).status == errSecItemNotFound) }
  }

  @Test func `All identities are returned together`() throws {
    let issued = try ["a", "b", "c"].map { try authority.issue($0) }
    try withKeychain {
      for each in issued {
        let identity = try #require(SecIdentity(certificate: each.certificate, privateKey: each.key))
        #expect(add([kSecValueRef: identity]) == errSecSuccess)
      }
      let found = copy(one, [kSecReturnRef: true, kSecMatchLimit: kSecMatchLimitAll]).result as? [SecIdentity]
      #expect(found?.count == 3)
      #expect((copy(one, [kSecReturnRef: true, kSecMatchLimit: 2]).result as? [SecIdentity])?.count == 2)
    }
  }

  @Test func `Update and Delete apply to both parts`() throws {
    let issued = try authority.issue("Jane Doe")
    let identity = try #require(SecIdentity(certificate: issued.certificate, privateKey: issued.key))
    try withKeychain {
      #expect(update(one, [kSecAttrLabel: "x"]) == errSecItemNotFound)
      #expect(delete(one) == errSecItemNotFound)
      #expect(add([kSecValueRef: identity]) == errSecSuccess)
      #expect(update(one, [kSecAttrLabel: "new", kSecAttrApplicationTag: text("tag")]) == errSecSuccess)
      #expect(list([kSecClass: kSecClassCertificate]).first?[kSecAttrLabel] as? String == "new")
      #expect(list([kSecClass: kSecClassKey]).first?[kSecAttrApplicationTag] as? Data == text("tag"))
      #expect(update(one, [kSecAttrAccessGroup: TemporaryKeychain.shared]) == errSecSuccess)
      #expect(object(one.merging([kSecAttrAccessGroup: TemporaryKeychain.shared]) { $1 }) == identity)
      #expect(update(one, [kSecValueData: text("x")]) == errSecParam)
      #expect(delete(one) == errSecSuccess)
      #expect(copy([kSecClass: kSecClassCertificate]).status == errSecItemNotFound)
      #expect(copy([kSecClass: kSecClassKey]).status == errSecItemNotFound)
    }
  }

  @Test func `An access control applies to the key: the certificate is returned without it`() throws {
    let issued = try authority.issue("Jane Doe")
    let identity = try #require(SecIdentity(certificate: issued.certificate, privateKey: issued.key))
    let context = LAContext()
    context.setCredential(text("tr0ub4dor"), type: .applicationPassword)
    try withKeychain {
      let control = try accessControl(kSecAttrAccessibleWhenUnlocked, .applicationPassword)
      let item: Query = [
        kSecValueRef: identity, kSecAttrAccessControl: control, kSecUseAuthenticationContext: context,
      ]
      #expect(add(item) == errSecSuccess)
      #expect(value(one) == issued.der)
      let silent: Query = [kSecUseAuthenticationUI: kSecUseAuthenticationUIFail]
      #expect(copy(one.merging(silent) { $1 }, [kSecReturnRef: true]).status == errSecInteractionNotAllowed)
      #expect(object(one.merging([kSecUseAuthenticationContext: context]) { $1 }) == identity)
    }
  }
}
