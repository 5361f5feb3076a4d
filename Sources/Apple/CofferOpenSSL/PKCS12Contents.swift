internal import CLibcrypto
package import CofferCrypto

/// The certificates and private keys of a PKCS #12 file.
package struct PKCS12Contents: Sendable {
  /// A certificate, which is not verified.
  package struct Certificate: Sendable {
    package let der: [UInt8]
    /// The name that its owner gave it.
    package let friendlyName: String?
  }

  /// The bytes of a private key.
  package enum KeyMaterial: Sendable {
    /// PKCS #1.
    case rsa(SecretText)
    /// The scalar of a key on a NIST curve, as long as a coordinate.
    case p256(SecretText)
    case p384(SecretText)
    case p521(SecretText)
    /// Not read: a key of another type.
    case other
  }

  /// A private key.
  package struct Key: Sendable {
    package let material: KeyMaterial
    /// The name that its owner gave it.
    package let friendlyName: String?
  }

  /// The size limit of a file, in bytes. A Java key store of 1000 entries has about 5 MB.
  package static let maximumByteCount = 16 * 1024 * 1024
  /// The limit for the number of certificates and keys together.
  package static let maximumEntryCount = 4096
  /// The limit for the sum of the iterations of a file's key derivations, which take several seconds. Java has 10 000
  /// for each key, Firefox 600 000.
  package static let maximumIterations: Int64 = 10_000_000

  /// The certificates, in the order of the file.
  package private(set) var certificates: [Certificate] = []
  /// The private keys, in the order of the file.
  package private(set) var keys: [Key] = []

  /// Reads a file that is encrypted and authenticated with a passphrase in UTF-8, empty for a file without one.
  /// `iterations` limits the sum of the iterations. Throws `unsupported` for a file that is not authenticated, or for
  /// an algorithm that neither OpenSSL, Apple's systems nor Java use by default, and `tooCostly` beyond the limits,
  /// which are checked before a key is derived.
  package init(
    reading file: [UInt8], passphrase: SecretText, iterations: Int64 = maximumIterations
  ) throws(OpenSSLError) {
    guard file.count <= Self.maximumByteCount else { throw .tooCostly }
    let reading = Reading()
    let status = unsafe file.withUnsafeBufferPointer { file in
      unsafe passphrase.withBytes { passphrase in
        withExtendedLifetime(reading) {
          unsafe coffer_pkcs12_read(
            coffer_bytes(start: file.baseAddress, count: file.count),
            passphrase.baseAddress?.assumingMemoryBound(to: CChar.self), passphrase.count, iterations,
            Unmanaged.passUnretained(reading).toOpaque()
          ) { context, kind, bytes, name in
            guard let context = unsafe context else { return }
            let reading = unsafe Unmanaged<Reading>.fromOpaque(context).takeUnretainedValue()
            unsafe reading.take(kind, bytes, name)
          }
        }
      }
    }
    try Libcrypto.check(status)
    guard reading.certificates.count + reading.keys.count <= Self.maximumEntryCount else { throw .tooCostly }
    certificates = reading.certificates
    keys = reading.keys
  }

  /// What has been read so far.
  private final class Reading {
    var certificates: [Certificate] = []
    var keys: [Key] = []

    func take(_ kind: coffer_pkcs12_kind, _ bytes: coffer_bytes, _ name: coffer_bytes) {
      let friendlyName = unsafe Self.text(name)
      guard kind != COFFER_PKCS12_CERTIFICATE else {
        return certificates.append(Certificate(der: unsafe bytes.array, friendlyName: friendlyName))
      }
      let secret = unsafe SecretText(copying: UnsafeBufferPointer(start: bytes.start, count: bytes.count))
      let material: KeyMaterial =
        switch kind {
        case COFFER_PKCS12_RSA_KEY: .rsa(secret)
        case COFFER_PKCS12_P256_KEY: .p256(secret)
        case COFFER_PKCS12_P384_KEY: .p384(secret)
        case COFFER_PKCS12_P521_KEY: .p521(secret)
        default: .other
        }
      keys.append(Key(material: material, friendlyName: friendlyName))
    }

    /// Decodes a name in UTF-16, big-endian; nil if there is none or it is empty.
    private static func text(_ name: coffer_bytes) -> String? {
      let bytes = unsafe name.array
      var units = stride(from: 0, to: bytes.count - 1, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
      // Some writers end it with a zero character.
      while units.last == 0 { units.removeLast() }
      return units.isEmpty ? nil : String(decoding: units, as: UTF16.self)
    }
  }
}

/// A new PKCS #12 file with a private key and its certificates.
package enum PKCS12File {
  /// The size limit of a passphrase, in bytes.
  package static let maximumPassphraseByteCount = Int(COFFER_MAXIMUM_PKCS12_PASSPHRASE)
  /// The iterations of each key derivation, as in the files of Firefox.
  private static let iterations: Int32 = 600_000

  /// Encodes a private key in PKCS #8, its certificate, which comes first, and further ones in DER, encrypted with
  /// AES-256 under a passphrase in UTF-8. `name` is shown where the file is read. Throws `damaged` if OpenSSL cannot
  /// read one of them, or if the key is not that of the certificate, and `unsupported` for a passphrase that is too
  /// long or has zeros.
  package static func encoding(
    key: [UInt8], certificates: [[UInt8]], name: String, passphrase: SecretText
  ) throws(OpenSSLError) -> [UInt8] {
    let file = Encoded()
    let status = unsafe passphrase.withBytes { passphrase in
      unsafe withBytes(key) { key in
        unsafe withByteList(certificates) { certificates in
          unsafe name.withCString { name in
            withExtendedLifetime(file) {
              var request = unsafe coffer_pkcs12_request(
                key: key, certificates: certificates,
                passphrase: coffer_bytes(
                  start: passphrase.baseAddress?.assumingMemoryBound(to: UInt8.self), count: passphrase.count),
                name: name, iterations: iterations)
              return unsafe coffer_pkcs12_write(&request, Unmanaged.passUnretained(file).toOpaque()) { context, bytes in
                guard let context = unsafe context else { return }
                unsafe Unmanaged<Encoded>.fromOpaque(context).takeUnretainedValue().bytes = unsafe bytes.array
              }
            }
          }
        }
      }
    }
    try Libcrypto.check(status)
    return file.bytes
  }

  private final class Encoded { var bytes: [UInt8] = [] }
}
