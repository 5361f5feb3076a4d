internal import CofferCrypto

/// What a plist says about the vendor's team that has signed it.
struct ClaimedTeam: Hashable, Sendable {
  /// The entitlement with the team's key: base64 of 32 bytes.
  static let keyName = "coffer-team-key"
  /// The entitlement with the team's signature: base64 of 64 bytes.
  static let signatureName = "coffer-team-signature"

  static let recoverySuggestion = "sign the plist again with: coffer app sign FILE.entitlements --team-key FILE"

  let key: VerifyingKey
  let signature: Signature

  /// Reads the claim; nil if the plist has neither entitlement.
  init?(in values: [String: Any], source: String) throws(EntitlementsError) {
    let (givenKey, givenSignature) = (values[Self.keyName], values[Self.signatureName])
    if givenKey == nil && givenSignature == nil { return nil }
    guard let key = Self.decoded(givenKey).flatMap({ Bytes32($0) }),
      let signature = Self.decoded(givenSignature).flatMap({ Signature($0) })
    else {
      throw EntitlementsError(
        .invalidSignature, source: source,
        what: "has no \(Self.keyName) of 32 bytes and \(Self.signatureName) of 64 bytes, both in base64",
        recoverySuggestion: Self.recoverySuggestion)
    }
    self.key = VerifyingKey(key)
    self.signature = signature
  }

  private static func decoded(_ value: Any?) -> [UInt8]? {
    guard let text = value as? String, text.utf8.count <= 200 else { return nil }
    return Base64.decode(Array(text.utf8)[...])
  }
}
