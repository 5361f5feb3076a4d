internal import CofferTestSupport
internal import Foundation
internal import Security
internal import Testing

/// ECIES: messages that Apple's implementation made, and messages that OpenSSL opens.
@Suite struct EllipticCurveEncryptionTests {
  /// Vectors/ecies.json.
  private struct Vectors: Decodable {
    struct Message: Decodable, Sendable, CustomTestStringConvertible {
      let algorithm: String
      let privateKey: String
      let ciphertext: String
      let plaintext: String

      var testDescription: String { String(decoding: Data(hex: plaintext), as: UTF8.self) }
    }

    let messages: [Message]

    static let all: [Message] = {
      let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Vectors/ecies.json")
      do {
        return try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file)).messages
      } catch {
        preconditionFailure("\(file.path) cannot be read: \(error)")
      }
    }()
  }

  private static let algorithms: [SecKeyAlgorithm] = ["ECDH", "ECDHC"].flatMap { exchange in
    ["SHA1", "SHA224", "SHA256", "SHA384", "SHA512"].flatMap { hash in
      // Apple has no variant of SHA-1 with a derived nonce.
      (hash == "SHA1" ? [""] : ["", "-KDFIV"]).map { nonce in
        SecKeyAlgorithm(rawValue: "algid:encrypt:ECIES:\(exchange):KDFX963:\(hash):AESGCM\(nonce)" as CFString)
      }
    }
  }
  private static let curves = KeyVectors.all.keys.filter { !$0.isRSA }

  private func encrypted(_ text: Data, to key: SecKey, _ algorithm: SecKeyAlgorithm) -> Data? {
    SecKeyCreateEncryptedData(key, algorithm, text as CFData, nil) as Data?
  }

  private func decrypted(_ text: Data, by key: SecKey, _ algorithm: SecKeyAlgorithm) -> Data? {
    SecKeyCreateDecryptedData(key, algorithm, text as CFData, nil) as Data?
  }

  @Test(arguments: Vectors.all)
  private func `A message that Apple's implementation encrypted is decrypted`(_ message: Vectors.Message) throws {
    let attributes = [kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClass: kSecAttrKeyClassPrivate]
    let key = try #require(read(Data(hex: message.privateKey), attributes as CFDictionary))
    let algorithm = SecKeyAlgorithm(rawValue: message.algorithm as CFString)
    #expect(SecKeyIsAlgorithmSupported(key, .decrypt, algorithm))
    #expect(decrypted(Data(hex: message.ciphertext), by: key, algorithm) == Data(hex: message.plaintext))
    // The variant without a cofactor is the same on these curves.
    let standard = SecKeyAlgorithm(rawValue: message.algorithm.replacing("ECDHC", with: "ECDH") as CFString)
    #expect(decrypted(Data(hex: message.ciphertext), by: key, standard) == Data(hex: message.plaintext))
  }

  @Test(arguments: curves)
  func `OpenSSL opens what is encrypted, with keys and nonces of Apple's sizes`(_ vector: KeyVectors.Key) throws {
    let text = Data("a text of any length".utf8)
    for algorithm in Self.algorithms {
      let message = try #require(encrypted(text, to: vector.publicKey, algorithm), "\(algorithm.rawValue)")
      let pointByteCount = 2 * ((vector.sizeInBits + 7) / 8) + 1
      #expect(message.count == pointByteCount + text.count + 16)
      #expect(try opened(message, pointByteCount, vector, algorithm) == text, "\(algorithm.rawValue)")
      #expect(try decrypted(message, by: vector.privateKey, algorithm) == text)
      // The ephemeral key differs each time.
      let again = try #require(encrypted(text, to: vector.publicKey, algorithm))
      #expect(again.prefix(pointByteCount) != message.prefix(pointByteCount))
    }
  }

  @Test(arguments: curves)
  func `An altered, shortened or foreign message is errSecParam`(_ vector: KeyVectors.Key) throws {
    let (privateKey, publicKey) = (try vector.privateKey, try vector.publicKey)
    let algorithm = SecKeyAlgorithm.eciesEncryptionCofactorVariableIVX963SHA256AESGCM
    let message = try #require(encrypted(Data("text".utf8), to: publicKey, algorithm))
    var broken = [Data(), Data(message.dropLast()), message + [0], message.prefix(16), Data(message.dropFirst())]
    for position in [0, 1, message.count / 2, message.count - 20, message.count - 1] {
      var altered = message
      altered[position] ^= 1
      broken.append(altered)
    }
    let other = try #require(made([kSecAttrKeyType as String: "73", kSecAttrKeySizeInBits as String: 256]))
    let otherPublic = try #require(SecKeyCopyPublicKey(other))
    broken.append(try #require(encrypted(Data("text".utf8), to: otherPublic, algorithm)))
    for text in broken {
      let error = unsafe failure { error in
        unsafe #expect(SecKeyCreateDecryptedData(privateKey, algorithm, NSData(data: text), error) == nil)
      }
      #expect(error?.code == Int(errSecParam))
    }
    // Neither another hash function nor another nonce opens it.
    for wrong in Self.algorithms where !(wrong.rawValue as String).contains(":SHA256:AESGCM-KDFIV") {
      #expect(decrypted(message, by: privateKey, wrong) == nil, "\(wrong.rawValue)")
    }
    #expect(decrypted(try #require(encrypted(Data(), to: publicKey, algorithm)), by: privateKey, algorithm) == Data())
    let large = Data(repeating: 7, count: 1 << 20)
    #expect(decrypted(try #require(encrypted(large, to: publicKey, algorithm)), by: privateKey, algorithm) == large)
  }

  @Test func `Only keys on curves encrypt in this way, public ones, and private ones decrypt`() throws {
    let curve = Self.curves[0]
    let rsa = try #require(KeyVectors.all.keys.first { $0.isRSA })
    for algorithm in Self.algorithms {
      #expect(SecKeyIsAlgorithmSupported(try curve.publicKey, .encrypt, algorithm))
      #expect(!SecKeyIsAlgorithmSupported(try curve.publicKey, .decrypt, algorithm))
      #expect(!SecKeyIsAlgorithmSupported(try curve.privateKey, .encrypt, algorithm))
      #expect(!SecKeyIsAlgorithmSupported(try rsa.publicKey, .encrypt, algorithm))
      #expect(encrypted(Data([1]), to: try curve.privateKey, algorithm) == nil)
      #expect(encrypted(Data([1]), to: try rsa.publicKey, algorithm) == nil)
    }
  }

  /// Opens a message as another program would: the shared secret and the key by `openssl`, AES-GCM by its library.
  private func opened(
    _ message: Data, _ pointByteCount: Int, _ vector: KeyVectors.Key, _ algorithm: SecKeyAlgorithm
  ) throws -> Data {
    let folder = try TemporaryDirectory()
    let name = algorithm.rawValue as String
    let hash = String(name.split(separator: ":")[5])
    let keyByteCount = vector.sizeInBits == 256 ? 16 : 32
    let derivesNonce = name.hasSuffix("KDFIV")
    let point = message.prefix(pointByteCount)
    let information = Data(hex: vector.subjectPublicKeyInfo).dropLast(pointByteCount) + point
    try Data(information).write(to: URL(filePath: folder.path("peer.der")))
    try folder.write("key.pem", vector.pem)
    try Command.run(
      "openssl", "pkeyutl", "-derive", "-inkey", folder.path("key.pem"), "-peerkey", folder.path("peer.der"),
      "-peerform", "DER", "-out", folder.path("secret"))
    let secret = try Data(contentsOf: URL(filePath: folder.path("secret")))
    try Command.run(
      "openssl", "kdf", "-keylen", "\(keyByteCount + (derivesNonce ? 16 : 0))", "-kdfopt", "digest:\(hash)", "-kdfopt",
      "hexsecret:\(secret.hex)", "-kdfopt", "hexinfo:\(Data(point).hex)", "-binary", "-out", folder.path("derived"),
      "X963KDF")
    let derived = try Data(contentsOf: URL(filePath: folder.path("derived")))
    let nonce = derivesNonce ? derived.suffix(16) : Data(count: 16)
    let rest = message.dropFirst(pointByteCount)
    let text = try Command.run(
      "python3", "-c", Self.script, derived.prefix(keyByteCount).hex, nonce.hex, rest.dropLast(16).hex,
      rest.suffix(16).hex)
    return Data(hex: text)
  }

  private static let script = """
    import ctypes, sys
    key, nonce, ciphertext, tag = (bytes.fromhex(word) for word in sys.argv[1:])
    lib = ctypes.CDLL("libcrypto.so.3")
    for name in ("EVP_CIPHER_CTX_new", "EVP_aes_128_gcm", "EVP_aes_256_gcm"):
        getattr(lib, name).restype = ctypes.c_void_p
    context = ctypes.c_void_p(lib.EVP_CIPHER_CTX_new())
    cipher = ctypes.c_void_p(lib.EVP_aes_128_gcm() if len(key) == 16 else lib.EVP_aes_256_gcm())
    text, count = ctypes.create_string_buffer(len(ciphertext) + 16), ctypes.c_int()
    assert lib.EVP_DecryptInit_ex(context, cipher, None, None, None) == 1
    assert lib.EVP_CIPHER_CTX_ctrl(context, 0x9, len(nonce), None) == 1
    assert lib.EVP_DecryptInit_ex(context, None, None, key, nonce) == 1
    assert lib.EVP_DecryptUpdate(context, text, ctypes.byref(count), ciphertext, len(ciphertext)) == 1
    assert lib.EVP_CIPHER_CTX_ctrl(context, 0x11, len(tag), tag) == 1
    assert lib.EVP_DecryptFinal_ex(context, ctypes.create_string_buffer(16), ctypes.byref(ctypes.c_int())) == 1
    print(text.raw[:count.value].hex())
    """
}

extension Data {
  fileprivate var hex: String { map { String(format: "%02x", $0) }.joined() }
}
