internal import CLibcrypto
package import CofferCrypto

/// A new PKCS #12 file with a private key and its certificates.
package enum PKCS12File {
  /// The size limit of a passphrase, in bytes.
  package static let maximumPassphraseByteCount = Int(COFFER_MAXIMUM_PKCS12_PASSPHRASE)
  /// The iterations of each key derivation, as in the files of Firefox.
  private static let iterations: Int32 = 600_000

  /// Encodes a private key in PKCS #8, its certificate, which comes first, and further ones in DER, encrypted with AES-256
  /// under a passphrase in UTF-8. `name` is shown where the file is read. Throws `damaged` if OpenSSL cannot read one of
  /// them, or if the key is not that of the certificate, and `unsupported` for a passphrase that is too long or has
  /// zeros.
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
