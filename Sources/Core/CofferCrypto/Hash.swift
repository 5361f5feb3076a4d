internal import CSodium

/// BLAKE2b with personalisation (RFC 7693). The `personal` field of the parameter block carries the domain.
package enum Hash {
  /// Returns the BLAKE2b-256 digest of `bytes` under `domain`.
  package static func digest(_ bytes: [UInt8], domain: Domain) -> Bytes32 {
    unsafe bytes.withUnsafeBytes { unsafe digest32($0, key: nil, domain) }
  }

  /// Returns the BLAKE2b-256 digest of the first `count` bytes under `domain`.
  package static func digest(_ bytes: [UInt8], count: Int, domain: Domain) -> Bytes32 {
    precondition(count <= bytes.count, "the count exceeds the number of bytes")
    return unsafe bytes.withUnsafeBytes { bytes in
      unsafe digest32(UnsafeRawBufferPointer(rebasing: bytes[..<count]), key: nil, domain)
    }
  }

  /// Returns an identifier: the first 16 bytes of the BLAKE2b-256 digest of `bytes` under `domain`.
  package static func identifier(_ bytes: [UInt8], domain: Domain) -> Bytes16 {
    Bytes16(truncating: digest(bytes, domain: domain))
  }

  /// Returns the digest of a secret, which commits to the secret without revealing it. Use only for secrets of full
  /// entropy.
  package static func commitment(to secret: SecretBytes, domain: Domain) -> Bytes32 {
    unsafe secret.withBytes { unsafe digest32($0, key: nil, domain) }
  }

  /// Derives a key from a secret, directly into guarded memory. Use only for secrets of full entropy. With another
  /// secret as `key`, whoever lacks one of the two learns nothing of the result.
  package static func key(from secret: SecretBytes, key: SecretBytes? = nil, domain: Domain) -> SymmetricKey {
    unsafe secret.withBytes { unsafe derive(from: $0, key: key, domain) }
  }

  /// Derives a key from another one and an identifier, directly into guarded memory.
  static func key(from identifier: Bytes16, key: SecretBytes, domain: Domain) -> SymmetricKey {
    unsafe identifier.withBytes { unsafe derive(from: $0, key: key, domain) }
  }

  private static func derive(from bytes: UnsafeRawBufferPointer, key: SecretBytes?, _ domain: Domain) -> SymmetricKey {
    let derived = unsafe SecretBytes(count: 32) { digest in
      let (output, input) = unsafe (digest.octets, bytes.octets)
      if let key {
        unsafe key.withBytes { unsafe call(output, 32, input, bytes.count, $0.octets, $0.count, domain) }
      } else {
        unsafe call(output, 32, input, bytes.count, nil, 0, domain)
      }
    }
    return SymmetricKey(unchecked: derived)
  }

  /// Returns the keyed BLAKE2b digest of `bytes`, 16 bytes wide.
  static func keyed16(_ bytes: [UInt8], key: SecretBytes, domain: Domain) -> Bytes16 {
    unsafe bytes.withUnsafeBytes { unsafe keyed16($0, key: key, domain: domain) }
  }

  /// Returns the keyed BLAKE2b digest of `bytes`, 16 bytes wide.
  static func keyed16(_ bytes: UnsafeRawBufferPointer, key: SecretBytes, domain: Domain) -> Bytes16 {
    unsafe digest(bytes, count: Bytes16.count, key: key, domain) { unsafe Bytes16($0) ?? .zero }
  }

  /// Returns the keyed BLAKE2b digest of `bytes`, 32 bytes wide.
  static func keyed32(_ bytes: [UInt8], key: SecretBytes, domain: Domain) -> Bytes32 {
    unsafe bytes.withUnsafeBytes { unsafe digest32($0, key: key, domain) }
  }

  /// Returns the keyed BLAKE2b digest of a secret, 32 bytes wide.
  static func keyed32(_ text: SecretText, key: SecretBytes, domain: Domain) -> Bytes32 {
    unsafe text.withBytes { unsafe digest32($0, key: key, domain) }
  }

  private static func digest32(_ bytes: UnsafeRawBufferPointer, key: SecretBytes?, _ domain: Domain) -> Bytes32 {
    unsafe digest(bytes, count: Bytes32.count, key: key, domain) { unsafe Bytes32($0) ?? .zero }
  }

  /// Hashes into memory on the stack and passes it to `transform`.
  private static func digest<Value>(
    _ bytes: UnsafeRawBufferPointer, count: Int, key: SecretBytes?, _ domain: Domain,
    _ transform: (UnsafeRawBufferPointer) -> Value
  ) -> Value {
    unsafe withUnsafeTemporaryAllocation(byteCount: count, alignment: 8) { digest in
      let input = unsafe bytes.bindMemory(to: UInt8.self).baseAddress
      if let key {
        unsafe key.withBytes { unsafe call(digest.octets, count, input, bytes.count, $0.octets, $0.count, domain) }
      } else {
        unsafe call(digest.octets, count, input, bytes.count, nil, 0, domain)
      }
      return unsafe transform(UnsafeRawBufferPointer(digest))
    }
  }

  private static func call(
    _ digest: UnsafeMutablePointer<UInt8>, _ digestCount: Int, _ input: UnsafePointer<UInt8>?, _ inputCount: Int,
    _ key: UnsafePointer<UInt8>?, _ keyCount: Int, _ domain: Domain
  ) {
    Sodium.require()
    let outcome = unsafe crypto_generichash_blake2b_salt_personal(
      digest, digestCount, input, UInt64(inputCount), key, keyCount, nil, domain.bytes)
    precondition(outcome == 0, "BLAKE2b refused its parameters")
  }
}

/// The purpose of a hash, signature or derivation: 16 bytes that separate each use from every other.
///
/// For a hash it is BLAKE2b's personalisation; for a signature it precedes the signed digest. The last character is the
/// version.
package struct Domain: Sendable, Hashable {
  let bytes: [UInt8]

  /// Creates a domain from a name of 1…16 ASCII characters, padded with zero bytes.
  package init(_ name: StaticString) {
    let text = Array(name.description.utf8)
    precondition(text.count <= 16, "a domain has at most 16 bytes")
    bytes = text + [UInt8](repeating: 0, count: 16 - text.count)
  }
}
