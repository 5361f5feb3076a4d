import CofferCrypto
import CofferFormatSamples
import CofferKeys
import CofferTrust

@testable import CofferFormat

extension VectorCatalog {
  /// The key of a vendor's team and its signature in a plist, and the kept vault key.
  mutating func addTeams() throws {
    let text = "COFFERTEAM1-000G-40R4-0M30-E209-185G-R38E-1W81-24GK-2GAH-C5RR-34D1-P70X-3RFP-2SX7"
    try add("team-key", "team key", [], ["text": text])
    let typed = text.lowercased().split(separator: "-").joined(separator: " ").replacing("0", with: "o")
    try add("team-key-as-typed", "team key", [], ["text": typed])
    try add("team-key-mistyped", "team key", [], ["text": text.replacing("2SX7", with: "2SX8")], expect: "mistyped")
    try add("team-key-too-short", "team key", [], ["text": String(text.dropLast())], expect: "malformed")
    try add(
      "team-key-with-the-prefix-of-a-vault-key", "team key", [],
      ["text": text.replacing("COFFERTEAM1", with: "COFFER1")],
      expect: "malformed")
    try addPlists(signedBy: VendorKey(.team, parsing: SecretText(copying: text.utf8)).signing())
    try addKeptVaultKeys()
  }

  private mutating func addPlists(signedBy key: SigningKey) throws {
    let plist = """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0">
      <dict>
        <key>application-identifier</key>
        <string>$(AppIdentifierPrefix)com.example.photo</string>
        <key>com.apple.security.application-groups</key>
        <array><string>group.com.example.all</string></array>
        <key>keychain-access-groups</key>
        <array>
          <string>$(AppIdentifierPrefix)com.example.photo</string>
          <string>$(AppIdentifierPrefix)com.example.suite</string>
        </array>
        <key>coffer-read-only-access-groups</key>
        <array><string>$(AppIdentifierPrefix)com.example.marker</string></array>
      </dict>
      </plist>

      """
    let signed = String(
      decoding: try EntitlementsDocument.signed(Array(plist.utf8), source: "plist", by: key), as: UTF8.self)
    try add("team-plist", "team plist", Array(signed.utf8))
    try add("team-plist-unsigned", "team plist", Array(plist.utf8))
    let identifierOnly = """
      <plist version="1.0"><dict><key>application-identifier</key><string>ABCDE12345.com.example.one</string></dict></plist>
      """
    try add(
      "team-plist-without-groups", "team plist",
      EntitlementsDocument.signed(Array(identifierOnly.utf8), source: "plist", by: key))
    // Names, and not only what they expand to, are signed.
    for (name, text) in [
      (
        "another-identifier",
        signed.replacing(
          "Prefix)com.example.photo</string>\n  <key>", with: "Prefix)com.example.other</string>\n  <key>")
      ),
      ("another-variable", signed.replacing("$(AppIdentifierPrefix)", with: "${AppIdentifierPrefix}")),
      ("a-group-more", signed.replacing("suite</string>", with: "suite</string><string>group.x</string>")),
      ("a-group-in-another-list", signed.replacing("coffer-read-only-access-groups", with: "com.example.ignored")),
      ("another-key", signed.replacing("A6EHv", with: "B6EHv")),
      (
        "another-signature",
        signed.replacing(
          "<key>coffer-team-signature</key>\n  <string>", with: "<key>coffer-team-signature</key>\n  <string>AAAA")
      ),
      ("no-base64", signed.replacing("A6EHv", with: "A6-Hv")),
      ("a-key-only", signed.replacing("coffer-team-signature", with: "com.example.signature")),
      ("a-signature-only", signed.replacing("coffer-team-key", with: "com.example.key")),
    ] {
      guard text != signed else { throw MalformedVector(what: name) }
      try add("team-plist-with-\(name)", "team plist", Array(text.utf8), expect: "invalidSignature")
    }
  }

  private mutating func addKeptVaultKeys() throws {
    let inputs = ["admin's secret keys": hex(fixture.admin.secret)]
    let box = try fixture.admin.publicKeys.box.seal(fixture.vaultKey.secret)
    try add("kept-vault-key", "kept vault key", box, inputs)
    try add("kept-vault-key-truncated", "kept vault key", box.dropLast(), inputs, expect: "authenticationFailed")
    try add("kept-vault-key-shorter-than-a-box", "kept vault key", [0], inputs, expect: "authenticationFailed")
    try add(
      "kept-vault-key-of-another-admin", "kept vault key", box, ["admin's secret keys": hex(fixture.root.secret)],
      expect: "authenticationFailed")
    try add(
      "kept-vault-key-of-other-size", "kept vault key", fixture.admin.publicKeys.box.seal(.random(count: 16)), inputs,
      expect: "invalidValue")
  }
}
