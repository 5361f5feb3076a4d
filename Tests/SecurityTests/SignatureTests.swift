internal import CofferTestSupport
internal import Foundation
internal import Security
internal import Testing

@Suite struct SignatureTests {
  private static let message = Data(hex: KeyVectors.all.message)

  @Test(arguments: KeyVectors.all.keys)
  func `Signatures of other libraries verify, of the message and of its digest`(_ vector: KeyVectors.Key) throws {
    let key = try vector.publicKey
    for (name, hex) in vector.signatures {
      let algorithm = KeyVectors.algorithms(name)
      let signature = Data(hex: hex)
      #expect(verifies(signature, of: Self.message, by: key, algorithm.message), "\(name)")
      let digest = try openssl("dgst", name)
      #expect(verifies(signature, of: digest, by: key, algorithm.digest), "\(name)")
    }
  }

  @Test(arguments: KeyVectors.all.keys)
  func `Generated signatures verify with OpenSSL`(_ vector: KeyVectors.Key) throws {
    let key = try vector.privateKey
    let folder = try TemporaryDirectory()
    try Data(vector.pem.utf8).write(to: URL(filePath: folder.path("key.pem")))
    try Self.message.write(to: URL(filePath: folder.path("message")))
    for name in vector.signatures.keys.sorted() + vector.shortDigestNames {
      let parts = name.split(separator: ":").map(String.init)
      let algorithm = KeyVectors.algorithms(name)
      let digest = try openssl("dgst", name)
      for (input, algorithm) in [(Self.message, algorithm.message), (digest, algorithm.digest)] {
        #expect(SecKeyIsAlgorithmSupported(key, .sign, algorithm))
        let signature = try #require(signed(input, by: key, algorithm))
        try signature.write(to: URL(filePath: folder.path("signature")))
        let padding =
          parts[0] == "PSS" ? ["-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:digest"] : []
        let said = try Command.run(
          arguments: ["openssl", "dgst", "-\(parts[1].lowercased())", "-prverify", folder.path("key.pem")] + padding
            + ["-signature", folder.path("signature"), folder.path("message")])
        #expect(said == "Verified OK", "\(name)")
      }
    }
  }

  @Test(arguments: KeyVectors.all.keys)
  func `An altered message, signature or key is errSecVerifyFailed`(
    _ vector: KeyVectors.Key
  ) throws {
    let key = try vector.publicKey
    for (name, hex) in vector.signatures {
      let algorithm = KeyVectors.algorithms(name).message
      let signature = Data(hex: hex)
      var altered = signature
      altered[altered.count / 2] ^= 1
      for (message, signature) in [
        (Self.message + [0], signature), (Self.message, altered), (Self.message, signature.dropLast()),
        (Self.message, signature + [0]), (Self.message, Data()), (Self.message, Data(repeating: 0x30, count: 4096)),
      ] {
        let left = unsafe failure {
          unsafe #expect(!SecKeyVerifySignature(key, algorithm, message as CFData, NSData(data: signature), $0))
        }
        #expect(left?.code == Int(errSecVerifyFailed))
      }
    }
  }

  @Test func `An unsupported operation is reported beforehand, and refused with errSecParam`() throws {
    let curve = try #require(KeyVectors.all.keys.first { !$0.isRSA })
    let rsa = try #require(KeyVectors.all.keys.first { $0.name == "RSA-1024" })
    let refused: [(SecKey, SecKeyOperationType, SecKeyAlgorithm)] = [
      (try curve.publicKey, .sign, .ecdsaSignatureMessageX962SHA256),
      (try curve.privateKey, .verify, .ecdsaSignatureMessageX962SHA256),
      (try curve.privateKey, .sign, .rsaSignatureMessagePSSSHA256),
      (try curve.privateKey, .sign, .rsaSignatureRaw),
      (try curve.privateKey, .sign, .rsaEncryptionOAEPSHA224),
      (try rsa.privateKey, .sign, .ecdsaSignatureMessageX962SHA256),
      (try rsa.privateKey, .sign, .rsaSignatureMessagePSSSHA512),
      (try rsa.privateKey, .sign, .ecdsaSignatureRFC4754),
      (try rsa.privateKey, .sign, SecKeyAlgorithm(rawValue: "algid:sign:RSA:unknown")),
    ]
    for (key, operation, algorithm) in refused {
      #expect(!SecKeyIsAlgorithmSupported(key, operation, algorithm))
      let left = unsafe failure { error in
        switch operation {
        case .sign: unsafe #expect(SecKeyCreateSignature(key, algorithm, NSData(), error) == nil)
        default: unsafe #expect(!SecKeyVerifySignature(key, algorithm, NSData(), NSData(), error))
        }
      }
      #expect(left?.code == Int(errSecParam))
    }
    #expect(!SecKeyIsAlgorithmSupported(try rsa.publicKey, .encrypt, .rsaSignatureMessagePSSSHA256))
  }

  @Test func `A digest of another length is refused`() throws {
    for vector in KeyVectors.all.keys {
      let algorithms: [SecKeyAlgorithm] =
        vector.isRSA
        ? [.rsaSignatureDigestPKCS1v15SHA224, .rsaSignatureDigestPSSSHA224, .rsaSignatureDigestPKCS1v15SHA256]
        : [.ecdsaSignatureDigestX962SHA224, .ecdsaSignatureDigestX962SHA256]
      for (algorithm, count) in algorithms.flatMap({ name in [0, 20, 27, 29, 31, 33, 64].map { (name, $0) } }) {
        let key = try vector.privateKey
        let left = unsafe failure {
          unsafe #expect(SecKeyCreateSignature(key, algorithm, NSData(data: Data(count: count)), $0) == nil)
        }
        #expect(left?.code == Int(errSecParam))
      }
    }
  }

  @Test(arguments: KeyVectors.all.keys)
  func `Signatures of openssl with SHA-224 verify, and altered ones do not`(_ vector: KeyVectors.Key) throws {
    let key = try vector.publicKey
    for name in vector.shortDigestNames {
      let algorithm = KeyVectors.algorithms(name)
      let padding = name.hasPrefix("PSS") ? ["-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:28"] : []
      let signature = try signedByOpenSSL(Self.message, vector, ["dgst", "-sha224", "-sign"], padding)
      #expect(verifies(signature, of: Self.message, by: key, algorithm.message), "\(name)")
      #expect(verifies(signature, of: try openssl("dgst", name), by: key, algorithm.digest), "\(name)")
      #expect(!verifies(signature, of: Self.message + [0], by: key, algorithm.message), "\(name)")
      for wrong in [Data(), signature.dropLast(), signature + [0], Data(repeating: 0xFF, count: signature.count)] {
        #expect(!verifies(wrong, of: Self.message, by: key, algorithm.message), "\(name)")
      }
    }
  }

  @Test(arguments: KeyVectors.all.keys)
  func `Digests of any kind are signed as openssl signs them`(_ vector: KeyVectors.Key) throws {
    let (privateKey, publicKey) = (try vector.privateKey, try vector.publicKey)
    let digest = Data(0..<40)
    if vector.isRSA {
      // Both paddings are deterministic, so the signatures are the same.
      let block = Data(count: vector.sizeInBits / 8 - digest.count - 1) + [1] + digest
      // openssl signs without padding only what is as short as a digest; decrypting is the same operation.
      for (algorithm, mode, operation, input) in [
        (SecKeyAlgorithm.rsaSignatureDigestPKCS1v15Raw, "pkcs1", "-sign", digest),
        (.rsaSignatureRaw, "none", "-decrypt", block),
      ] {
        let theirs = try signedByOpenSSL(
          input, vector, ["pkeyutl", operation, "-inkey"], ["rsa_padding_mode:\(mode)"])
        let signature = try #require(signed(input, by: privateKey, algorithm))
        #expect(signature == theirs, "\(mode)")
        // Without padding, zeros at the start are not signed.
        let verified = algorithm == .rsaSignatureRaw ? Data([1]) + digest : digest
        #expect(verifies(signature, of: verified, by: publicKey, algorithm), "\(mode)")
        #expect(!verifies(signature, of: verified + [0], by: publicKey, algorithm), "\(mode)")
        #expect(!verifies(signature.dropLast(), of: verified, by: publicKey, algorithm), "\(mode)")
        #expect(signed(Data(repeating: 0xFF, count: 1024), by: privateKey, algorithm) == nil, "\(mode)")
      }
    } else {
      let theirs = try signedByOpenSSL(digest, vector, ["pkeyutl", "-sign", "-inkey"], [])
      #expect(verifies(theirs, of: digest, by: publicKey, .ecdsaSignatureDigestX962))
      #expect(!verifies(theirs, of: digest, by: publicKey, .ecdsaSignatureRFC4754))
      let pair = try #require(signed(digest, by: privateKey, .ecdsaSignatureRFC4754))
      #expect(pair.count == 2 * ((vector.sizeInBits + 7) / 8))
      #expect(verifies(pair, of: digest, by: publicKey, .ecdsaSignatureRFC4754))
      // A curve of fewer bits than the digest signs only its beginning.
      let signsBeginning = vector.sizeInBits < 320
      #expect(verifies(pair, of: digest + [0], by: publicKey, .ecdsaSignatureRFC4754) == signsBeginning)
      #expect(!verifies(pair, of: Data(1..<41), by: publicKey, .ecdsaSignatureRFC4754))
    }
  }

  private func signedByOpenSSL(
    _ input: Data, _ vector: KeyVectors.Key, _ command: [String], _ options: [String]
  ) throws -> Data {
    let folder = try TemporaryDirectory()
    try folder.write("key.pem", vector.pem)
    try input.write(to: URL(filePath: folder.path("input")))
    let rest =
      command[0] == "dgst"
      ? options + [folder.path("input")] : options.flatMap { ["-pkeyopt", $0] } + ["-in", folder.path("input")]
    try Command.run(
      arguments: ["openssl"] + command + [folder.path("key.pem"), "-out", folder.path("signature")] + rest)
    return try Data(contentsOf: URL(filePath: folder.path("signature")))
  }

  /// Returns the message's digest, computed by OpenSSL.
  private func openssl(_ command: String, _ name: String) throws -> Data {
    let folder = try TemporaryDirectory()
    try Self.message.write(to: URL(filePath: folder.path("message")))
    let hash = name.split(separator: ":")[1].lowercased()
    let said = try Command.run("openssl", command, "-\(hash)", "-r", folder.path("message"))
    return Data(hex: String(said.prefix { $0.isHexDigit }))
  }
}
