import CofferCrypto
import Testing

/// Values from published vectors, or made by other implementations: Python's hashlib and OpenSSL for BLAKE2b and
/// Ed25519, the reference implementation for Argon2id.
@Suite struct KnownAnswerTests {
  let domain = Domain("coffer.test.1")
  let key = SecretBytes(copying: Array(0..<32)[...])

  @Test(arguments: [
    ([UInt8]("abc".utf8), "65a38f6e9d8e6f815257c9cf5a60088ea14604543f37c323a5b1f55ba8cc636f"),
    ([], "60f24d70d01febbbb1acd733235c5ac954c76295dbff82cc8311042c12656b67"),
    ([UInt8](0...255), "04e0cbf0fbdcd93c619b26a504c7c11f751310f5a3984ed2b73beb3abf8c9941"),
  ])
  func `A digest is BLAKE2b-256 personalised by its domain`(message: [UInt8], expected: String) {
    #expect(Hash.digest(message, domain: domain).hex == expected)
    #expect(Hash.identifier(message, domain: domain).hex == expected.prefix(32))
  }

  @Test func `A secret's commitment and the key derived from it are its digest`() {
    let secret = SecretBytes(copying: [UInt8]("abc".utf8)[...])
    let expected = "65a38f6e9d8e6f815257c9cf5a60088ea14604543f37c323a5b1f55ba8cc636f"
    #expect(Hash.commitment(to: secret, domain: domain).hex == expected)
    let made = Hash.key(from: secret, domain: domain).secret
    #expect(made.isEqual(to: SecretBytes(copying: bytes(expected)[...])))
  }

  @Test func `A keyed hash is BLAKE2b with the key and the requested length`() throws {
    let key = try SymmetricKey(key)
    #expect(key.keyedHash16([UInt8]("abc".utf8), domain: domain).hex == "e6078d05ef2430e48df3310912ca04a5")
    #expect(
      key.keyedHash32([UInt8]("abc".utf8), domain: domain).hex
        == "b4f259db5162ddde0c082b70f599d822e2b4ba0cf2699edd6f22aeaabeb26ec5")
  }

  @Test(arguments: [
    (1, "d568fd8feba8411b21284b20def89332a778db5c0f77509cf177dea862e454e1"),
    (2, "46e9f6fbd279294d42839fb184f3a4106f5920dadb4999898c7681c4d97bd668"),
  ])
  func `A derived key is keyed BLAKE2b with the number as salt and the context as personalisation`(
    number: Int, expected: String
  ) throws {
    let derived = try SymmetricKey(key).derived(context: "CfRecord", number: UInt64(number))
    #expect(derived.secret.isEqual(to: SecretBytes(copying: bytes(expected)[...])))
  }

  @Test func `A signature is RFC 8032's Ed25519 over domain and digest`() throws {
    let seed = bytes("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    let signer = try SigningKey(seed: SecretBytes(copying: seed[...]))
    #expect(signer.publicKey.raw.hex == "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
    let digest = Hash.digest([UInt8]("abc".utf8), domain: domain)
    let signature = signer.sign(digest, domain: domain)
    #expect(
      hexadecimal(signature.bytes)
        == "0e100bef2888bea1179bac243ac45c9fb8c1718b8f321b42402182e7b7dff192"
        + "2ce81c70932b54abf8027d39453856acfa8a919018d95cab860e75a5a7ae5b05")
    #expect(signer.publicKey.verifies(signature, of: digest, domain: domain))
    #expect(!signer.publicKey.verifies(signature, of: digest, domain: Domain("coffer.test.2")))
  }

  @Test func `A sealed message of draft-irtf-cfrg-xchacha opens`() throws {
    let key = try SymmetricKey(SecretBytes(copying: Array(0x80..<0xA0)[...]))
    let sealed = bytes(
      "404142434445464748494a4b4c4d4e4f5051525354555657"
        + "bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f4eda7e39"
        + "ae64c6708c54c216cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9"
        + "21f9664c97637da9768812f615c68b13b52ec0875924c1c7987947deafd8780acf49")
    let plain = try key.open(sealed, associated: bytes("50515253c0c1c2c3c4c5c6c7"))
    #expect(
      String(decoding: plain, as: UTF8.self)
        == "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would "
        + "be it.")
  }

  @Test func `A box that another implementation sealed opens`() throws {
    let pair = try AgreementKey(secret: key)
    #expect(pair.publicKey.raw.hex == "8f40c5adb68f25624ae5b214ea767a6ec94d829d3d7b5e1ad1ba6f3e2138285f")
    let box = bytes(
      "cee6c723dd4a9ee70e06dde4371a72e29ddb0b60c23025406e30ac6c6d8d046d"
        + "aee283581edf43a676da0296dfddad5dedbc119a5cc10d30fa76afe165fbd30f")
    let opened = try pair.open(box)
    #expect(opened.isEqual(to: SecretBytes(copying: [UInt8]("sealed elsewhere".utf8)[...])))
  }

  @Test func `A passphrase's key is Argon2id of version 1.3 with one lane`() throws {
    let key = try PasswordHash.key(
      passphrase: SecretText(copying: "correct horse".utf8), salt: try #require(Bytes16(0..<16)),
      cost: PasswordHashCost(passes: 2, memoryKiB: 8192))
    let expected = bytes("5d6feb78fec962f9fe4465119605b64a5dbce8acde9e8ae0c8b3d4c2f518c9a4")
    #expect(key.secret.isEqual(to: SecretBytes(copying: expected[...])))
  }
}
