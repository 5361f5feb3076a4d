internal import CofferTestSupport
internal import Foundation
internal import Security
internal import Testing

@Suite struct KeyFormatTests {
  @Test func `The vectors cover every kind of key`() {
    #expect(KeyVectors.all.keys.count == 6)
    #expect(KeyVectors.all.keys.allSatisfy { !$0.signatures.isEmpty })
  }

  @Test(arguments: KeyVectors.all.keys)
  func `A key reads and writes Apple's external format`(_ vector: KeyVectors.Key) throws {
    let privateKey = try vector.privateKey
    let publicKey = try vector.publicKey
    #expect(written(privateKey) == Data(hex: vector.private))
    #expect(written(publicKey) == Data(hex: vector.public))
    #expect(SecKeyCopyPublicKey(privateKey) == publicKey)
    #expect(SecKeyCopyPublicKey(publicKey) == publicKey)
    #expect(SecKeyGetBlockSize(privateKey) == (vector.sizeInBits + 7) / 8)
    #expect(CFGetTypeID(privateKey) == SecKeyGetTypeID())
  }

  @Test(arguments: KeyVectors.all.keys)
  func `A key's attributes are Apple's, and its label is the hash of its public half`(_ vector: KeyVectors.Key) throws {
    for (key, keyClass) in [(try vector.privateKey, "1"), (try vector.publicKey, "0")] {
      let attributes = try #require(SecKeyCopyAttributes(key) as? [String: Any])
      #expect(attributes["klbl"] as? Data == Data(hex: vector.label))
      #expect(attributes["kcls"] as? String == keyClass)
      #expect(attributes["type"] as? String == (vector.isRSA ? "42" : "73"))
      #expect(attributes["bsiz"] as? Int == vector.sizeInBits)
      #expect(attributes["esiz"] as? Int == vector.sizeInBits)
      #expect(attributes["v_Data"] as? Data == Data(hex: keyClass == "1" ? vector.private : vector.public))
    }
  }

  @Test func `A public RSA key is read as SubjectPublicKeyInfo too, and written as PKCS 1`() throws {
    for vector in KeyVectors.all.keys where vector.isRSA {
      let key = try #require(vector.read(vector.subjectPublicKeyInfo, as: kSecAttrKeyClassPublic))
      #expect(written(key) == Data(hex: vector.public))
    }
  }

  @Test(arguments: [(kSecAttrKeyTypeECSECPrimeRandom as String, 256), ("73", 384), ("73", 521), ("42", 2048)])
  func `A generated key has its type and size and can be read again`(_ type: String, _ size: Int) throws {
    let parameters: [String: Any] = [kSecAttrKeyType as String: type, kSecAttrKeySizeInBits as String: size]
    let key = try #require(made(parameters))
    let data = try #require(written(key))
    let attributes = [kSecAttrKeyType: type, kSecAttrKeyClass: kSecAttrKeyClassPrivate] as [CFString: Any]
    let again = try #require(read(data, attributes as CFDictionary))
    #expect(again == key)
    #expect((SecKeyCopyAttributes(again) as? [String: Any])?["bsiz"] as? Int == size)
    #expect(made(parameters) != key)
  }

  @Test func `Nonexistent sizes, token keys and unknown types are refused with their number`() {
    let refused: [([String: Any], OSStatus)] = [
      ([kSecAttrKeyType as String: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits as String: 255], errSecParam),
      ([kSecAttrKeyType as String: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits as String: 512], errSecParam),
      ([kSecAttrKeyType as String: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits as String: 2049], errSecParam),
      ([kSecAttrKeyType as String: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits as String: -8], errSecParam),
      ([kSecAttrKeyType as String: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits as String: 1 << 40], errSecParam),
      ([kSecAttrKeyType as String: "7", kSecAttrKeySizeInBits as String: 256], errSecParam),
      ([:], errSecParam),
      (
        [
          kSecAttrKeyType as String: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits as String: 256,
          kSecAttrTokenID as String: kSecAttrTokenIDSecureEnclave,
        ], errSecUnimplemented
      ),
    ]
    for (parameters, status) in refused {
      let left = unsafe failure { unsafe #expect(SecKeyCreateRandomKey(parameters as CFDictionary, $0) == nil) }
      #expect(left?.domain == NSOSStatusErrorDomain)
      #expect(left?.code == Int(status))
    }
  }

  @Test(arguments: KeyVectors.all.keys, [SeededGenerator.runSeed])
  func `Damaged keys never trap, and are refused with errSecParam`(_ vector: KeyVectors.Key, seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for (hex, keyClass) in [
      (vector.private, kSecAttrKeyClassPrivate), (vector.public, kSecAttrKeyClassPublic),
      (vector.subjectPublicKeyInfo, kSecAttrKeyClassPublic),
    ] {
      let whole = Data(hex: hex)
      var hostile = [
        Data(), whole + [0], [0] + whole, Data(count: whole.count), Data(repeating: 0xff, count: whole.count),
      ]
      hostile += stride(from: 1, to: whole.count, by: max(1, whole.count / 40)).map { whole.prefix($0) }
      for data in hostile {
        let left = unsafe failure {
          unsafe #expect(SecKeyCreateWithData(NSData(data: data), vector.attributes(keyClass), $0) == nil)
        }
        #expect(left?.code == Int(errSecParam))
      }
      for _ in 0..<200 {
        var data = whole
        let position = Int.random(in: 0..<data.count, using: &generator)
        data[position] ^= UInt8.random(in: 1...255, using: &generator)
        guard let key = read(data, vector.attributes(keyClass)) else { continue }
        // Another modulus is another key, and is accepted as one.
        let bytes = written(key)
        #expect(bytes == data || hex == vector.subjectPublicKeyInfo)
      }
    }
  }

  @Test func `A private key whose point belongs to another key is refused`() throws {
    let vector = try #require(KeyVectors.all.keys.first)
    let other = made([kSecAttrKeyType as String: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits as String: 256])
    let foreign = try #require(other.flatMap(written))
    let mixed = Data(hex: vector.public) + foreign.suffix(32)
    let attributes = vector.attributes(kSecAttrKeyClassPrivate)
    #expect(read(mixed, attributes) == nil)
  }

  @Test func `A private key's description does not contain the key`() throws {
    for vector in KeyVectors.all.keys {
      let key = try vector.privateKey
      for text in ["\(key)", key.description, key.debugDescription] {
        #expect(!text.contains(vector.private.suffix(16)))
        #expect(text.hasPrefix("<SecKey: private"))
      }
    }
  }
}
