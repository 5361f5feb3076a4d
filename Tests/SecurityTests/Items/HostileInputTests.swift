internal import Coffer
import CofferVault
internal import CofferFormat
internal import Foundation
internal import Security
internal import Testing

/// Dictionaries, objects and items made by attackers or by mistake.
@Suite struct HostileInputTests {
  private let identities: Query = [kSecClass: kSecClassIdentity]
  private let reading: Query = [kSecReturnData: true]

  @Test(arguments: [true, false])
  func `Update and Delete without a group skip identities of read-only groups`(_ deletes: Bool) throws {
    let issued = try CertificateAuthority().issue("Jane Doe")
    let identity = try #require(SecIdentity(certificate: issued.certificate, privateKey: issued.key))
    let keychain = try TemporaryKeychain()
    try keychain.run(as: "com.example.other", groups: [TemporaryKeychain.readOnly]) {
      #expect(add([kSecValueRef: identity]) == errSecSuccess)
    }
    try keychain.run {
      // As for the other classes.
      #expect(delete([kSecClass: kSecClassCertificate]) == errSecItemNotFound)
      let call = { deletes ? delete(identities) : update(identities, [kSecAttrLabel: "l"]) }
      #expect(call() == errSecItemNotFound)
      #expect(add([kSecValueRef: identity]) == errSecSuccess)
      #expect(call() == errSecSuccess)
    }
  }

  @Test func `A dictionary that contains itself does not end the program`() async throws {
    await #expect(processExitsWith: .success) {
      try withKeychain {
        let cycle = NSMutableDictionary()
        cycle[kSecClass] = kSecClassGenericPassword
        cycle[kSecAttrAccount] = cycle
        let status = SecItemAdd(cycle, nil)
        #expect(status == errSecParam)
      }
    }
  }

  @Test func `Deeply nested lists do not end the program`() async throws {
    await #expect(processExitsWith: .success) {
      try withKeychain {
        var deep: NSArray = []
        for _ in 0..<100_000 { deep = NSArray(object: deep) }
        #expect(add(password(deep)) == errSecParam)
        // Foundation's release of it recurses too.
        _ = unsafe Unmanaged.passRetained(deep)
      }
    }
  }

  @Test func `Unusual numbers are refused or stored`() async throws {
    await #expect(processExitsWith: .success) {
      try withKeychain {
        let odd: [Any] = [
          Double.nan, Double.infinity, -Double.infinity, 1e300, UInt64.max, Decimal.nan,
          Decimal.greatestFiniteMagnitude,
          NSDecimalNumber.notANumber, NSDecimalNumber(string: "1e100"), Float.nan, 1.5, Int64.min,
        ]
        for number in odd {
          for key in [
            kSecAttrAccount, kSecAttrType, kSecAttrCreationDate, kSecAttrSynchronizable, kSecMatchLimit, kSecReturnData,
            kSecAttrAccessible, kSecClass, kSecUseAuthenticationUI,
          ] {
            var query = password()
            query[key] = number
            _ = copy(query)
            _ = add(query)
            _ = delete([kSecClass: kSecClassGenericPassword, kSecAttrSynchronizable: kSecAttrSynchronizableAny])
          }
        }
      }
    }
  }

  @Test func `Unusual objects are refused`() async throws {
    await #expect(processExitsWith: .success) {
      enum Mine { case one }
      struct Boxed { var number = 1 }
      try withKeychain {
        let nothing: String? = nil
        let nested: String?? = .some(nil)
        let odd: [Any] = [
          Mine.one, Boxed(), nothing as Any, nested as Any, { 1 }, NSObject(), (1, 2), String.self,
          kSecClassGenericPassword,
          [1: 2], Set([1]), NSRange(location: 0, length: 1), URL(filePath: "/"), UUID(), Data(), NSNull(),
          Date.distantFuture,
          Date(timeIntervalSinceReferenceDate: .nan), Date(timeIntervalSinceReferenceDate: .infinity), IndexSet([1]),
          NSMutableString("x"), Substring("x"), Character("x"), [UInt8](), CocoaError(.fileNoSuchFile),
        ]
        for object in odd {
          for key in [
            kSecAttrAccount, kSecAttrType, kSecAttrCreationDate, kSecAttrSynchronizable, kSecMatchLimit, kSecReturnData,
            kSecAttrAccessible, kSecAttrAccessControl, kSecAttrAccessGroup, kSecClass, kSecUseAuthenticationUI,
            kSecUseAuthenticationContext, kSecMatchItemList, kSecMatchIssuers, kSecValueData, kSecValueRef,
            kSecValuePersistentRef,
          ] {
            var query = password()
            query[key] = object
            _ = copy(query)
            _ = add(query)
            _ = update(password(), [key: object])
            _ = delete(query)
            _ = delete([kSecClass: kSecClassGenericPassword, kSecAttrSynchronizable: kSecAttrSynchronizableAny])
          }
        }
      }
    }
  }

  @Test func `Nil among the values counts as absent, as on Apple's systems`() throws {
    try withKeychain {
      let item: [String: Any?] = [
        kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: "a", kSecAttrLabel as String: nil,
      ]
      let status = SecItemAdd(item as CFDictionary, nil)
      #expect(status == errSecSuccess)
    }
  }

  @Test func `A custom dictionary class is read`() throws {
    final class Own: NSDictionary {
      let inner: [NSString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrAccount: "own"]
      override var count: Int { 2 }
      override func object(forKey key: Any) -> Any? { (key as? NSString).flatMap { inner[$0] } }
      override func keyEnumerator() -> NSEnumerator { NSArray(array: Array(inner.keys)).objectEnumerator() }
    }
    try withKeychain {
      let status = SecItemAdd(Own(), nil)
      #expect(status == errSecSuccess)
    }
  }

  @Test func `Only Keychain's attributes are keys of a certificate, and only those are returned`() throws {
    let issued = try CertificateAuthority().issue("Jane Doe", email: "jane@example.com")
    try withKeychain {
      #expect(add([kSecValueRef: issued.certificate]) == errSecSuccess)
      for key in ["stxt", "mail", "nbef", "naft", "pref"] {
        #expect(copy([kSecClass: kSecClassCertificate, key as CFString: "x"]).status == errSecNoSuchAttr, "\(key)")
      }
      let found = try #require(list([kSecClass: kSecClassCertificate]).first)
      #expect(Set(found.keys.map { $0 as String }).isDisjoint(with: ["stxt", "mail", "nbef", "naft", "pref"]))
    }
  }

  @Test func `The attributes of a key given by reference are the key's, whatever else is given`() throws {
    let issued = try CertificateAuthority().issue("Jane Doe")
    try withKeychain {
      let item: Query = [kSecValueRef: issued.key, kSecAttrKeyClass: kSecAttrKeyClassPublic]
      let status = add(item)
      if status == errSecSuccess {
        #expect(copy([kSecClass: kSecClassKey], [kSecReturnRef: true]).status == errSecSuccess)
      } else {
        #expect(status == errSecParam)
      }
    }
  }

  @Test func `A vault in memory refuses a passphrase that is not 1 to 1024 bytes long`() async throws {
    for passphrase in ["", String(repeating: "x", count: 1025)] {
      #expect(throws: VaultError.self) { try TemporaryKeychain(passphrase: passphrase) }
    }
  }

  @Test func `Returned data behaves as data in every way`() throws {
    try withKeychain {
      let long = Data((0..<1000).map { UInt8(truncatingIfNeeded: $0) })
      for bytes in [Data(), text("x"), long] {
        let value: Query = [kSecValueData: bytes]
        // The first value is empty.
        #expect((bytes.isEmpty ? add(password("jane", value)) : update(password(), value)) == errSecSuccess)
        let object = try #require(copy(password(), reading).result as? NSData)
        let plain = bytes as NSData
        #expect(object.isEqual(plain))
        #expect(plain.isEqual(object))
        #expect(object.isEqual(to: bytes))
        #expect(object.hash == plain.hash)
        #expect(object.base64EncodedString() == plain.base64EncodedString())
        #expect(object.description == plain.description)
        #expect((object.copy() as? NSData)?.isEqual(plain) == true)
        #expect((object.mutableCopy() as? NSMutableData)?.isEqual(plain) == true)
        #expect(NSMutableData(data: object as Data) as Data == bytes)
        #expect(Data(referencing: object) == bytes)
        #expect(object.subdata(with: NSRange(location: 0, length: bytes.count)) == bytes)
        #expect([UInt8](object as Data) == [UInt8](bytes))
        let list = try PropertyListSerialization.data(fromPropertyList: ["a": object], format: .binary, options: 0)
        let back =
          try unsafe PropertyListSerialization.propertyList(from: list, options: [], format: nil) as? [String: Data]
        #expect(back?["a"] == bytes)
        let xml = try PropertyListSerialization.data(fromPropertyList: ["a": object], format: .xml, options: 0)
        let read =
          try unsafe PropertyListSerialization.propertyList(from: xml, options: [], format: nil) as? [String: Data]
        #expect(read?["a"] == bytes)
        let archived = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
        #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: NSData.self, from: archived)?.isEqual(plain) == true)
        #expect(NSDictionary(object: 1, forKey: object).object(forKey: plain) != nil)
        #expect((copy(password(), reading).result as? Data)?.count == bytes.count)
      }
    }
  }

  @Test func `Attributes given with a reference narrow the search, and find no other item`() throws {
    try withKeychain {
      let parameters: [String: Any] = [
        kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits as String: 256,
        kSecAttrIsPermanent as String: true, kSecPublicKeyAttrs as String: [kSecAttrIsPermanent: true] as Query,
      ]
      let key = try #require(made(parameters))
      #expect(delete([kSecValueRef: key, kSecAttrKeyClass: kSecAttrKeyClassPublic]) == errSecItemNotFound)
      #expect(list([kSecClass: kSecClassKey]).count == 2)
    }
  }

  @Test func `One hostile item does not hide the others`() async throws {
    try withKeychain {
      #expect(add(password("good", [kSecValueData: text("good")])) == errSecSuccess)
      let hostile = ItemAttributes([
        .service: .string("service"), .account: .string("bad"), .accessControl: .data([9, 9, 9]),
      ])
      _ = try Vault.default.add(ItemDraft(itemClass: .genericPassword, attributes: hostile, value: [1]), in: nil)
      let all: Query = [kSecClass: kSecClassGenericPassword, kSecMatchLimit: kSecMatchLimitAll]
      #expect(copy(all, [kSecReturnData: true]).result as? [Data] == [text("good")])
      #expect(copy(all, [kSecReturnAttributes: true]).status == errSecSuccess)
    }
  }
}
