internal import CofferCrypto
internal import CofferVault
internal import CofferX509

/// A file with one private key, in PEM (RFC 7468) or DER.
enum PrivateKeyFile {
  /// The size limit of a file, in bytes.
  static let maximumByteCount = 65_536

  /// Reads the key. Throws `invalidArgument` for a key that is encrypted or of another algorithm, and for anything else than
  /// one key. Other text around it in PEM is ignored, as are the parameters that OpenSSL writes before it.
  static func read(_ bytes: [UInt8]) throws(VaultError) -> ExternalKey {
    var der = bytes.firstRange(of: begin) == nil ? bytes : try decode(bytes)
    defer { der.wipe() }
    do throws(CertificateError) {
      return try ExternalKey(der: der)
    } catch {
      throw refusal(error.description)
    }
  }

  /// Returns a key in PKCS #8 as PEM. The caller wipes it.
  static func pem(pkcs8 der: [UInt8]) -> [UInt8] {
    var text = Base64.encode(der)
    defer { text.wipe() }
    var pem = Array("-----BEGIN PRIVATE KEY-----\n".utf8)
    // Never reallocated, which would leave a copy.
    pem.reserveCapacity(2 * text.count + 128)
    for start in stride(from: 0, to: text.count, by: 64) {
      pem.append(contentsOf: text[start..<min(start + 64, text.count)])
      pem.append(UInt8(ascii: "\n"))
    }
    pem.append(contentsOf: "-----END PRIVATE KEY-----\n".utf8)
    return pem
  }

  private static let begin = Array("-----BEGIN ".utf8)
  private static let end = Array("-----END ".utf8)

  /// Returns the DER of the only key in PEM.
  private static func decode(_ bytes: [UInt8]) throws(VaultError) -> [UInt8] {
    var key: ArraySlice<UInt8>?
    var open: (label: String, start: Int)?
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      if line.starts(with: begin) {
        guard open == nil else { throw refusal("a line with END is missing") }
        open = (label(line.dropFirst(begin.count)), line.endIndex)
      } else if line.starts(with: end) {
        guard let (name, start) = open, name == label(line.dropFirst(end.count)) else {
          throw refusal("the lines with BEGIN and END do not belong together")
        }
        open = nil
        switch name {
        case "PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY":
          guard key == nil else { throw refusal("the file has more than one key") }
          key = bytes[start..<line.startIndex]
        case "EC PARAMETERS": continue
        case "ENCRYPTED PRIVATE KEY": throw refusal(encrypted)
        case "OPENSSH PRIVATE KEY":
          throw refusal(
            "the key has the format of OpenSSH", suggestion: "convert a copy with: ssh-keygen -p -m PKCS8 -f FILE")
        default: throw refusal("the file contains something else than a private key, such as a certificate")
        }
      }
    }
    guard open == nil, let key else { throw refusal("the file has no private key") }
    // The headers of an encrypted key.
    guard !key.contains(UInt8(ascii: ":")) else { throw refusal(encrypted) }
    guard let der = Base64.decode(key) else { throw refusal("the key is not in Base64") }
    return der
  }

  private static func label(_ rest: ArraySlice<UInt8>) -> String {
    let name = rest.prefix { $0 != UInt8(ascii: "-") }
    return String(validating: name, as: UTF8.self) ?? ""
  }

  private static let encrypted = "the key is encrypted"

  private static func refusal(_ reason: String, suggestion: String? = nil) -> VaultError {
    let decryption = "decrypt it with: openssl pkey -in FILE | coffer key import - --label NAME"
    return VaultError(
      .invalidArgument, reason,
      recoverySuggestion: suggestion
        ?? (reason == encrypted ? decryption : "give a file with one private key in PEM or DER"))
  }
}
