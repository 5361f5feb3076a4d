import CofferCrypto
import CofferFormatSamples
import CofferTrust

@testable import CofferFormat

extension VectorReader {
  func teamKeyFields() throws -> [String: String] {
    let key = try VendorKey(.team, parsing: SecretText(copying: text("text").utf8))
    let publicKey = try key.signing().publicKey
    let written = unsafe key.text.withBytes { unsafe String(decoding: $0, as: UTF8.self) }
    return ["text": written, "public key": publicKey.raw.hex, "label": TeamID(vendor: publicKey).description]
  }

  func teamFields(ofPlist plist: [UInt8]) throws -> [String: String] {
    guard let team = try EntitlementsDocument(bytes: plist, source: "plist").team() else { return ["team": "none"] }
    return ["team": team.raw.hex, "label": TeamID(vendor: team).description]
  }

  func fields(ofKeptVaultKey box: [UInt8]) throws -> [String: String] {
    // As the file is opened: a box that does not open is not this admin's, whatever else is wrong with it.
    let keys = try PartyKeys(secret: secret("admin's secret keys"))
    guard let secret = try? keys.agreement.open(box) else { throw CryptoError.authenticationFailed }
    guard let key = VaultKey(restoring: secret) else {
      throw FormatError(.invalidValue, object: vector.object, field: "vault key")
    }
    return ["text": key.string]
  }
}
