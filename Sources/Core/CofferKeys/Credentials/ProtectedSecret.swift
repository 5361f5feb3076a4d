internal import CofferCrypto
internal import CofferFormat

/// A secret of a machine's owner in a file: open, or sealed under the machine's passphrase.
enum ProtectedSecret: Sendable {
  /// Anybody who can read the file has it.
  case open(SecretBytes)
  case sealed(PassphraseSlot)

  /// Seals a secret under a passphrase of 1…1024 bytes, with which `context` is authenticated. Without a passphrase, the
  /// secret stays open.
  init(
    _ secret: SecretBytes, passphrase: SecretText?, cost: PasswordHashCost, context: [UInt8]
  ) throws(CryptoError) {
    guard let passphrase else {
      self = .open(secret)
      return
    }
    self = .sealed(try PassphraseSlot(sealing: secret, passphrase: passphrase, cost: cost, context: context))
  }

  var needsPassphrase: Bool {
    if case .sealed = self { true } else { false }
  }

  /// Returns the secret. Throws ``CryptoError/authenticationFailed`` for a wrong or missing passphrase.
  func open(passphrase: SecretText?, context: [UInt8]) throws(CryptoError) -> SecretBytes {
    switch self {
    case .open(let secret): return secret
    case .sealed(let slot):
      guard let passphrase else { throw .authenticationFailed }
      return try slot.open(passphrase: passphrase, context: context)
    }
  }

  /// Writes the secret. The caller wipes the written bytes.
  func write(to writer: inout ByteWriter) {
    switch self {
    case .open(let secret):
      writer.u8(0)
      writer.secret(secret)
    case .sealed(let slot):
      writer.u8(1)
      slot.write(to: &writer)
    }
  }

  /// Reads a secret of a size. The caller wipes the bytes that are read from.
  init(from reader: inout ByteReader, byteCount: Int) throws(FormatError) {
    switch try reader.u8("protection") {
    case 0: self = .open(try reader.secret(byteCount, "keys"))
    case 1: self = .sealed(try PassphraseSlot(from: &reader))
    default: throw reader.failure(.invalidValue, "protection")
    }
  }
}
