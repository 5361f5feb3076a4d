internal import Coffer
internal import CofferCertificates
internal import CofferCrypto
internal import CofferFormat
internal import CofferPlatform
internal import CofferX509

/// A key that can be generated.
package enum NewKey: String, CaseIterable, Sendable {
  case p256, p384, p521, aes256

  /// The key in words.
  package var name: String {
    switch self {
    case .p256: "Elliptic curve P-256, private key"
    case .p384: "Elliptic curve P-384, private key"
    case .p521: "Elliptic curve P-521, private key"
    case .aes256: "AES, 256 bits"
    }
  }

  /// Generates the key, with the attributes that `SecKeyCreateRandomKey` stores. The caller wipes the value.
  func draft(label: String, tag: String) -> ItemDraft {
    switch self {
    case .p256: Self.privateKey(on: .p256, label, tag)
    case .p384: Self.privateKey(on: .p384, label, tag)
    case .p521: Self.privateKey(on: .p521, label, tag)
    case .aes256: Self.symmetricKey(label, tag)
    }
  }

  private static func privateKey(on curve: KeyKind.Curve, _ label: String, _ tag: String) -> ItemDraft {
    draft(ExternalKey(generatingOn: curve), label: label, tag: tag)
  }

  /// A private key. The caller wipes the value.
  static func draft(_ privateKey: ExternalKey, label: String, tag: String) -> ItemDraft {
    var key = KeychainKey(
      .private, algorithm: privateKey.kind.algorithm, sizeInBits: privateKey.kind.sizeInBits,
      applicationLabel: Data(privateKey.publicKeyHash), applicationTag: Data(tag.utf8))
    key.usage = [.decrypt, .derive, .sign, .unwrap]
    return draft(key, label, privateKey.externalRepresentation)
  }

  /// A key whose application label is random: nothing can be computed that tells it from others.
  private static func symmetricKey(_ label: String, _ tag: String) -> ItemDraft {
    var key = KeychainKey(
      .symmetric, algorithm: .aes, sizeInBits: 256, applicationLabel: Data(Random.bytes(count: 16)),
      applicationTag: Data(tag.utf8))
    key.usage = [.encrypt, .decrypt, .wrap, .unwrap]
    return draft(key, label, Random.bytes(count: 32))
  }

  private static func draft(_ key: KeychainKey, _ label: String, _ value: [UInt8]) -> ItemDraft {
    var attributes = key._fields.attributes
    attributes[.label] = .string(label)
    for (code, isSet) in flags { attributes[code] = .number(isSet ? 1 : 0) }
    return ItemDraft(itemClass: .key, attributes: attributes, value: value)
  }

  private static let flags: [(AttributeCode, Bool)] = [
    (.isPermanent, true), (.isPrivate, true), (.isModifiable, true), (.isSensitive, false),
    (.wasAlwaysSensitive, false), (.isExtractable, true), (.wasNeverExtractable, false),
    (.canSignRecover, false), (.canVerifyRecover, false),
  ]
}
