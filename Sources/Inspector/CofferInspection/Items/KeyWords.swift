internal import Coffer
internal import CofferFormat

/// Keys in plain words.
enum KeyWords {
  static func kind(_ value: AttributeValue) -> String {
    switch value.number.flatMap({ Int(exactly: $0) }).flatMap({ KeychainKey.Kind(rawValue: $0) }) {
    case .private: "private"
    case .public: "public"
    case .symmetric: "symmetric"
    case nil: AttributeWords.plain(value)
    }
  }

  static func algorithm(_ value: AttributeValue) -> String {
    switch value.number.flatMap({ Int(exactly: $0) }).map({ KeychainKey.Algorithm(rawValue: $0) }) {
    case .rsa: "RSA"
    case .ellipticCurve: "elliptic curve (NIST)"
    case .aes: "AES"
    default: value.isDefault ? "unknown" : AttributeWords.plain(value)
    }
  }

  /// Returns what a key may be used to do, in one text.
  static func list(of usages: [String]) -> String {
    usages.isEmpty ? unstated : usages.joined(separator: ", ")
  }

  /// The text for what a key or a certificate does not say.
  static let unstated = "not stated"

  /// Returns kind, algorithm and size: "private, RSA, 2048 bits".
  static func summary(_ attributes: ItemAttributes) -> String? {
    let parts = [
      attributes[.keyClass].map { kind($0) },
      attributes[.type].flatMap { $0.isDefault ? nil : algorithm($0) },
      attributes[.keySizeInBits]?.number.flatMap { $0 > 0 ? "\($0) bits" : nil },
    ].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}
