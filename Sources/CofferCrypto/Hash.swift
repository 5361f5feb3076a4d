internal import CSodium

/// BLAKE2b with personalisation (RFC 7693; the parameter block's personal field carries the domain).
package enum Hash {
  /// BLAKE2b-256 of `bytes` under `domain`.
  package static func digest(_ bytes: [UInt8], domain: Domain) -> Bytes32 {
    digest(bytes, count: bytes.count, domain: domain)
  }

  /// BLAKE2b-256 of the first `count` of `bytes` under `domain`.
  package static func digest(_ bytes: [UInt8], count: Int, domain: Domain) -> Bytes32 {
    precondition(count <= bytes.count, "there are fewer bytes to hash")
    var digest = [UInt8](repeating: 0, count: 32)
    unsafe bytes.withUnsafeBufferPointer { input in
      unsafe call(&digest, digest.count, input.baseAddress, count, nil, 0, domain)
    }
    return Bytes32(in: digest, at: 0)
  }

  /// The first 16 bytes of BLAKE2b-256 of `bytes` under `domain`: an identifier.
  package static func identifier(_ bytes: [UInt8], domain: Domain) -> Bytes16 {
    Bytes16(truncating: digest(bytes, domain: domain))
  }

  /// The digest of a secret, which commits to it without showing it; only for secrets of full entropy.
  package static func commitment(to secret: SecretBytes, domain: Domain) -> Bytes32 {
    var digest = [UInt8](repeating: 0, count: 32)
    unsafe secret.withBytes { bytes in
      unsafe call(&digest, digest.count, bytes.octets, bytes.count, nil, 0, domain)
    }
    return Bytes32(digest) ?? .zero
  }

  /// A key made of a secret, written straight into guarded memory; only for secrets of full entropy.
  package static func key(from secret: SecretBytes, domain: Domain) -> SymmetricKey {
    let key = unsafe SecretBytes(count: 32) { digest in
      unsafe secret.withBytes { bytes in
        unsafe call(digest.octets, digest.count, bytes.octets, bytes.count, nil, 0, domain)
      }
    }
    return SymmetricKey(unchecked: key)
  }

  /// Keyed BLAKE2b of `bytes`, 16 bytes wide.
  static func keyed16(_ bytes: [UInt8], key: SecretBytes, domain: Domain) -> Bytes16 {
    var digest = [UInt8](repeating: 0, count: 16)
    blake2b(into: &digest, bytes, key: key, domain: domain)
    return Bytes16(digest) ?? .zero
  }

  /// Keyed BLAKE2b of `bytes`, 32 bytes wide.
  static func keyed32(_ bytes: [UInt8], key: SecretBytes, domain: Domain) -> Bytes32 {
    var digest = [UInt8](repeating: 0, count: 32)
    blake2b(into: &digest, bytes, key: key, domain: domain)
    return Bytes32(digest) ?? .zero
  }

  private static func blake2b(into digest: inout [UInt8], _ bytes: [UInt8], key: SecretBytes?, domain: Domain) {
    unsafe bytes.withUnsafeBufferPointer { input in
      guard let key else {
        return unsafe call(&digest, digest.count, input.baseAddress, input.count, nil, 0, domain)
      }
      unsafe key.withBytes { key in
        unsafe call(&digest, digest.count, input.baseAddress, input.count, key.octets, key.count, domain)
      }
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
