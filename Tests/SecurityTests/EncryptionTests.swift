internal import CofferTestSupport
internal import Foundation
internal import Security
internal import Testing

private func encrypted(_ text: Data, to key: SecKey, _ algorithm: SecKeyAlgorithm) -> Data? {
  SecKeyCreateEncryptedData(key, algorithm, text as CFData, nil) as Data?
}

private func decrypted(_ text: Data, by key: SecKey, _ algorithm: SecKeyAlgorithm) -> Data? {
  SecKeyCreateDecryptedData(key, algorithm, text as CFData, nil) as Data?
}

/// Files that `openssl` makes and reads.
@Suite struct EncryptionTests {
  private static let options: [(algorithm: SecKeyAlgorithm, options: [String])] = [
    (.rsaEncryptionPKCS1, ["rsa_padding_mode:pkcs1"]),
    (.rsaEncryptionOAEPSHA1, ["rsa_padding_mode:oaep", "rsa_oaep_md:sha1"]),
    (.rsaEncryptionOAEPSHA224, ["rsa_padding_mode:oaep", "rsa_oaep_md:sha224"]),
    (.rsaEncryptionOAEPSHA256, ["rsa_padding_mode:oaep", "rsa_oaep_md:sha256"]),
    (.rsaEncryptionOAEPSHA384, ["rsa_padding_mode:oaep", "rsa_oaep_md:sha384"]),
    (.rsaEncryptionOAEPSHA512, ["rsa_padding_mode:oaep", "rsa_oaep_md:sha512"]),
  ]

  private let folder: TemporaryDirectory
  private let key: KeyVectors.Key

  init() throws {
    folder = try TemporaryDirectory()
    key = try #require(KeyVectors.all.keys.first { $0.name == "RSA-2048" })
    try folder.write("key.pem", key.pem)
  }

  private func openssl(_ operation: String, _ input: Data, _ options: [String]) throws -> Data {
    try input.write(to: URL(filePath: folder.path("in")))
    try Command.run(
      arguments: [
        "openssl", "pkeyutl", operation, "-inkey", folder.path("key.pem"), "-in", folder.path("in"), "-out",
        folder.path("out"),
      ] + options.flatMap { ["-pkeyopt", $0] })
    return try Data(contentsOf: URL(filePath: folder.path("out")))
  }

  @Test(arguments: options.indices)
  func `A ciphertext made by openssl or by this module is decrypted by the other`(_ index: Int) throws {
    let (algorithm, options) = Self.options[index]
    let (privateKey, publicKey) = (try key.privateKey, try key.publicKey)
    #expect(SecKeyIsAlgorithmSupported(publicKey, .encrypt, algorithm))
    #expect(SecKeyIsAlgorithmSupported(privateKey, .decrypt, algorithm))
    let text = Data("a short text".utf8)
    let ours = try #require(encrypted(text, to: publicKey, algorithm))
    #expect(ours.count == key.sizeInBits / 8)
    #expect(try openssl("-decrypt", ours, options) == text)
    let theirs = try openssl("-encrypt", text, options)
    #expect(decrypted(theirs, by: privateKey, algorithm) == text)
    // The ciphertext differs each time.
    #expect(encrypted(text, to: publicKey, algorithm) != ours)
  }

  @Test(arguments: [
    (SecKeyAlgorithm.rsaEncryptionPKCS1, 11), (.rsaEncryptionOAEPSHA1, 42), (.rsaEncryptionOAEPSHA224, 58),
    (.rsaEncryptionOAEPSHA256, 66), (.rsaEncryptionOAEPSHA384, 98), (.rsaEncryptionOAEPSHA512, 130),
  ])
  func `A text is as long as the padding allows`(_ algorithm: SecKeyAlgorithm, _ overhead: Int) throws {
    let publicKey = try key.publicKey
    let most = key.sizeInBits / 8 - overhead
    #expect(encrypted(Data(count: most), to: publicKey, algorithm) != nil)
    let error = unsafe failure { error in
      unsafe SecKeyCreateEncryptedData(publicKey, algorithm, NSData(data: Data(count: most + 1)), error)
    }
    #expect(error?.code == Int(errSecParam))
    #expect(
      try decrypted(#require(encrypted(Data(), to: publicKey, algorithm)), by: key.privateKey, algorithm) == Data())
  }

  @Test func `An operation that does not fit the key or the algorithm is errSecParam`() throws {
    let (privateKey, publicKey) = (try key.privateKey, try key.publicKey)
    let text = try #require(encrypted(Data([1]), to: publicKey, .rsaEncryptionOAEPSHA256))
    for broken in [Data(), Data(text.dropLast()), text + [0], Data(repeating: 0xFF, count: text.count)] {
      for algorithm in [SecKeyAlgorithm.rsaEncryptionOAEPSHA256, .rsaEncryptionOAEPSHA384] {
        let error = unsafe failure { error in
          unsafe SecKeyCreateDecryptedData(privateKey, algorithm, NSData(data: broken), error)
        }
        #expect(error?.code == Int(errSecParam))
      }
    }
    #expect(decrypted(text, by: privateKey, .rsaEncryptionOAEPSHA1) == nil)
    #expect(decrypted(text, by: publicKey, .rsaEncryptionOAEPSHA256) == nil)
    #expect(encrypted(Data([1]), to: privateKey, .rsaEncryptionOAEPSHA256) == nil)
    for name: SecKeyAlgorithm in [
      .rsaEncryptionOAEPSHA256AESGCM, .eciesEncryptionCofactorVariableIVX963SHA256AESGCM,
    ] {
      #expect(!SecKeyIsAlgorithmSupported(publicKey, .encrypt, name))
      #expect(encrypted(Data([1]), to: publicKey, name) == nil)
    }
    let curve = try #require(KeyVectors.all.keys.first { !$0.isRSA }).publicKey
    // A modulus of 128 bytes is too short for two digests of 64 and two bytes.
    let short = try #require(KeyVectors.all.keys.first { $0.name == "RSA-1024" }).publicKey
    for (key, name) in [(curve, SecKeyAlgorithm.rsaEncryptionOAEPSHA256), (short, .rsaEncryptionOAEPSHA512)] {
      #expect(encrypted(Data([1]), to: key, name) == nil)
      #expect(!SecKeyIsAlgorithmSupported(key, .encrypt, name))
    }
  }

  @Test func `Without padding, a number below the modulus is encrypted, and decrypted as a whole block`() throws {
    let (privateKey, publicKey) = (try key.privateKey, try key.publicKey)
    let number = Data([1, 2, 3])
    let block = Data(count: key.sizeInBits / 8 - number.count) + number
    let ours = try #require(encrypted(number, to: publicKey, .rsaEncryptionRaw))
    #expect(try openssl("-encrypt", block, ["rsa_padding_mode:none"]) == ours)
    #expect(decrypted(ours, by: privateKey, .rsaEncryptionRaw) == block)
    #expect(encrypted(Data(repeating: 0xFF, count: block.count), to: publicKey, .rsaEncryptionRaw) == nil)
    #expect(encrypted(block + [0], to: publicKey, .rsaEncryptionRaw) == nil)
  }
}

@Suite struct KeyExchangeTests {
  private static let curves = KeyVectors.all.keys.filter { !$0.isRSA }

  private func exchange(
    _ own: SecKey, _ algorithm: SecKeyAlgorithm, _ other: SecKey, _ parameters: [SecKeyKeyExchangeParameter: Any] = [:]
  ) -> Data? {
    let dictionary = Dictionary(uniqueKeysWithValues: parameters.map { ($0.key.rawValue as String, $0.value) })
    return SecKeyCopyKeyExchangeResult(own, algorithm, other, dictionary as CFDictionary, nil) as Data?
  }

  @Test(arguments: curves)
  func `Both sides derive the secret that openssl derives`(_ vector: KeyVectors.Key) throws {
    let folder = try TemporaryDirectory()
    let own = try vector.privateKey
    let other = try #require(
      made([
        kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits as String: vector.sizeInBits,
      ]))
    let (ownPublic, otherPublic) = (try vector.publicKey, try #require(SecKeyCopyPublicKey(other)))
    let secret = try #require(exchange(own, .ecdhKeyExchangeStandard, otherPublic))
    #expect(exchange(other, .ecdhKeyExchangeCofactor, ownPublic) == secret)
    // The other side's public key in the form that openssl reads: the vector's, with the other side's point at its end.
    let point = try #require(written(otherPublic))
    let information = Data(hex: vector.subjectPublicKeyInfo).dropLast(point.count) + point
    try Data(information).write(to: URL(filePath: folder.path("peer.der")))
    try folder.write("key.pem", vector.pem)
    try Command.run(
      "openssl", "pkeyutl", "-derive", "-inkey", folder.path("key.pem"), "-peerkey", folder.path("peer.der"),
      "-peerform", "DER", "-out", folder.path("secret"))
    #expect(try Data(contentsOf: URL(filePath: folder.path("secret"))) == secret)
    // ANSI X9.63 in openssl's form.
    let hex = secret.map { String(format: "%02x", $0) }.joined()
    for (digest, algorithm) in [
      ("SHA1", SecKeyAlgorithm.ecdhKeyExchangeStandardX963SHA1), ("SHA224", .ecdhKeyExchangeCofactorX963SHA224),
      ("SHA224", .ecdhKeyExchangeStandardX963SHA224), ("SHA256", .ecdhKeyExchangeStandardX963SHA256),
      ("SHA384", .ecdhKeyExchangeCofactorX963SHA384), ("SHA512", .ecdhKeyExchangeCofactorX963SHA512),
    ] {
      try Command.run(
        "openssl", "kdf", "-keylen", "80", "-kdfopt", "digest:\(digest)", "-kdfopt", "hexsecret:\(hex)", "-kdfopt",
        "hexinfo:0102", "-binary", "-out", folder.path("derived"), "X963KDF")
      let derived = exchange(own, algorithm, otherPublic, [.requestedSize: 80, .sharedInfo: Data([1, 2])])
      #expect(try Data(contentsOf: URL(filePath: folder.path("derived"))) == derived, "\(digest)")
    }
  }

  @Test func `Keys and parameters that do not fit are errSecParam`() throws {
    let (first, second) = (
      Self.curves[0], try #require(Self.curves.first { $0.sizeInBits != Self.curves[0].sizeInBits })
    )
    let rsa = try #require(KeyVectors.all.keys.first { $0.isRSA })
    let own = try first.privateKey
    #expect(exchange(own, .ecdhKeyExchangeStandard, try second.publicKey) == nil)
    #expect(exchange(own, .ecdhKeyExchangeStandard, try rsa.publicKey) == nil)
    #expect(exchange(try first.publicKey, .ecdhKeyExchangeStandard, try first.publicKey) == nil)
    #expect(exchange(own, .ecdhKeyExchangeStandardX963SHA224, try first.publicKey) == nil)
    #expect(exchange(own, .ecdsaSignatureMessageX962SHA224, try first.publicKey, [.requestedSize: 16]) == nil)
    for size: Any in [0, 1025, -1, "16", 1.5] {
      #expect(exchange(own, .ecdhKeyExchangeStandardX963SHA256, try first.publicKey, [.requestedSize: size]) == nil)
    }
    #expect(exchange(own, .ecdhKeyExchangeStandardX963SHA256, try first.publicKey) == nil)
    let wrongInfo: [SecKeyKeyExchangeParameter: Any] = [.requestedSize: 16, .sharedInfo: "text"]
    #expect(exchange(own, .ecdhKeyExchangeStandardX963SHA256, try first.publicKey, wrongInfo) == nil)
    #expect(SecKeyIsAlgorithmSupported(own, .keyExchange, .ecdhKeyExchangeStandard))
    #expect(!SecKeyIsAlgorithmSupported(try first.publicKey, .keyExchange, .ecdhKeyExchangeStandard))
    #expect(!SecKeyIsAlgorithmSupported(try rsa.privateKey, .keyExchange, .ecdhKeyExchangeStandard))
  }
}
