internal import CArgon2
internal import CofferPlatform
internal import CofferSystem
internal import Crypto
internal import CryptoExtras

/// The encryption of Bitwarden's password-protected export: a key from the password, stretched to two keys, for AES-256 in
/// CBC mode and for HMAC-SHA-256.
struct BitwardenSeal {
  private let encryptionKey: SymmetricKey
  private let authenticationKey: SymmetricKey

  /// Derives the keys as the export's own description says. Throws for one that takes more time or memory than
  /// Bitwarden lets its users choose.
  init(_ export: JSONValue, password: [UInt8]) throws(ImportError) {
    guard let salt = export["salt"]?.text.map({ Array($0.utf8) }), salt.count <= 1_024,
      case .integer(let iterations)? = export["kdfIterations"]
    else { throw Self.unknown }
    let master: [UInt8]
    switch export["kdfType"] {
    case .integer(0) where (1...2_000_000).contains(iterations):
      guard
        let key = try? KDF.Insecure.PBKDF2.deriveKey(
          from: password, salt: salt, using: .sha256, outputByteCount: 32, unsafeUncheckedRounds: Int(iterations))
      else { throw Self.unknown }
      master = unsafe key.withUnsafeBytes { unsafe Array($0) }
    case .integer(1) where (1...10).contains(iterations):
      guard case .integer(let memory)? = export["kdfMemory"], (1...1_024).contains(memory),
        case .integer(let parallelism)? = export["kdfParallelism"], (1...16).contains(parallelism)
      else { throw Self.unknown }
      let hashedSalt = Array(SHA256.hash(data: salt))
      var derived = [UInt8](repeating: 0, count: 32)
      let status = unsafe argon2id_hash_raw(
        UInt32(iterations), UInt32(memory) << 10, UInt32(parallelism), password, password.count, hashedSalt,
        hashedSalt.count, &derived, derived.count)
      guard status == 0 else { throw Self.unknown }
      master = derived
    default: throw Self.unknown
    }
    let key = SymmetricKey(data: master)
    encryptionKey = HKDF<SHA256>.expand(pseudoRandomKey: key, info: Data("enc".utf8), outputByteCount: 32)
    authenticationKey = HKDF<SHA256>.expand(pseudoRandomKey: key, info: Data("mac".utf8), outputByteCount: 32)
  }

  private static let unknown = ImportError.malformed(
    "password-protected export of Bitwarden", "its key derivation is unknown or takes too much time or memory")

  /// Opens a sealed text; nil for a wrong password or a changed text.
  func open(_ text: String) -> [UInt8]? {
    guard text.hasPrefix("2.") else { return nil }
    let parts = text.dropFirst(2).split(separator: "|").map { Data(base64Encoded: String($0)) }
    guard parts.count == 3, let iv = parts[0], let sealed = parts[1], let code = parts[2],
      HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: iv + sealed, using: authenticationKey),
      let parameter = try? AES._CBC.IV(ivBytes: [UInt8](iv)),
      let opened = try? AES._CBC.decrypt([UInt8](sealed), using: encryptionKey, iv: parameter)
    else { return nil }
    return [UInt8](opened)
  }
}
