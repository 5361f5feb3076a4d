package import CofferCrypto
internal import CofferFormat

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

  static func decoded(_ value: Any?) -> [UInt8]? {
    guard let text = value as? String, text.utf8.count <= 200 else { return nil }
    return Base64.decode(Array(text.utf8)[...])
  }
}

extension EntitlementsDocument {
  /// Returns the key of the vendor's team that has signed the plist; nil if none has.
  ///
  /// - Throws: ``EntitlementsError``: `invalidSignature` if the signature is not that of this plist.
  package func team() throws(EntitlementsError) -> VerifyingKey? {
    guard let claimedTeam else { return nil }
    guard claimedTeam.key.verifies(claimedTeam.signature, of: signedDigest, domain: .team) else {
      throw EntitlementsError(
        .invalidSignature, source: source,
        what:
          "was changed after the team \(TeamID(vendor: claimedTeam.key)) signed it, or has another plist's signature",
        recoverySuggestion: ClaimedTeam.recoverySuggestion)
    }
    return claimedTeam.key
  }

  /// Signs an XML plist for a vendor's team, and replaces an earlier signature. The rest of the text stays as it is.
  ///
  /// - Parameters:
  ///   - plist: The bytes of the plist.
  ///   - source: The name of the plist in errors.
  ///   - key: The team's key.
  /// - Returns: The signed plist.
  /// - Throws: ``EntitlementsError``: `missingApplicationIdentifier` if the plist does not say which app it belongs to;
  ///   `malformed` if it is not XML; the errors of reading it.
  package static func signed(
    _ plist: [UInt8], source: String, by key: SigningKey
  ) throws(EntitlementsError) -> [UInt8] {
    var text = String(decoding: plist, as: UTF8.self)
      .replacing(#/[ \t]*<key>coffer-team-(key|signature)</key>\s*<string>[^<]*</string>[ \t]*\n?/#, with: "")
    // A plist of another team, or with one of the keys only, is replaced too.
    let document = try EntitlementsDocument(bytes: Array(text.utf8), source: source)
    guard !document.needsBundleIdentifier else {
      throw EntitlementsError(
        .missingApplicationIdentifier, source: source, key: .applicationIdentifier,
        what: "does not spell out the app's identifier, which the team signs",
        recoverySuggestion: "write <string>$(AppIdentifierPrefix)com.example.app</string>")
    }
    let signature = key.sign(document.signedDigest, domain: .team)
    let lines = [
      (ClaimedTeam.keyName, key.publicKey.raw.bytes), (ClaimedTeam.signatureName, signature.bytes),
    ].map { name, bytes in
      "  <key>\(name)</key>\n  <string>\(String(decoding: Base64.encode(bytes), as: UTF8.self))</string>\n"
    }.joined()
    if let end = text.ranges(of: "</dict>").last?.lowerBound {
      // Before the indentation, so that signing again finds the text as it was.
      let indentation = text[..<end].reversed().prefix { $0 == " " || $0 == "\t" }.count
      text.insert(contentsOf: lines, at: text.index(end, offsetBy: -indentation))
    }
    let bytes = Array(text.utf8)
    guard try EntitlementsDocument(bytes: bytes, source: source).team() == key.publicKey else {
      throw EntitlementsError(
        .malformed, source: source, what: "has no place for a signature",
        recoverySuggestion: "write an XML property list whose outermost dictionary ends with </dict>")
    }
    return bytes
  }

  /// What a team signs: the identifier and the groups as they are written, before variables are expanded, then the key
  /// of the vendor's shop if there is one.
  private var signedDigest: Bytes32 {
    var writer = ByteWriter()
    writer.string(applicationIdentifier ?? "")
    for key in [EntitlementsKey.keychainAccessGroups, .applicationGroups, .readOnlyAccessGroups] {
      writer.list(groups[key, default: []]) { $0.string($1) }
    }
    if let receiptKey { writer.fixed(receiptKey.raw) }
    return Hash.digest(writer.bytes, domain: .team)
  }
}
