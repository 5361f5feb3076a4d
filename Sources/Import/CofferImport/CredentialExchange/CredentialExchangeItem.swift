internal import CofferPlatform
internal import CofferSystem

/// An item of the Credential Exchange Format.
struct CredentialExchangeItem {
  private(set) var entry = ForeignEntry()

  init(_ item: JSONValue, folder: [String]) {
    entry.identifier = item["id"]?.text
    entry.folder = folder
    entry.title = item["title"]?.text ?? ""
    entry.created = item["creationAt"]?.date
    entry.modified = item["modifiedAt"]?.date
    entry.tags = (item["tags"]?.elements ?? []).compactMap(\.text)
    entry.addresses = (item["scope"]?["urls"]?.elements ?? []).compactMap(\.text)
    for credential in item["credentials"]?.elements ?? [] { take(credential) }
    var extra = item.removing(["id", "title", "creationAt", "modifiedAt", "tags", "credentials", "scope"]).members
    if extra["favorite"] == .bool(false) { extra["favorite"] = nil }
    if let apps = item["scope"]?["androidApps"], !apps.isEmpty { extra["androidApps"] = apps }
    entry.extra = extra
  }

  private mutating func take(_ credential: JSONValue) {
    switch credential["type"]?.text {
    case "basic-auth" where entry.password == nil && Self.isPlain(credential, ["username", "password"]):
      entry.username = credential["username"]?["value"]?.text ?? ""
      entry.password = Array((credential["password"]?["value"]?.text ?? "").utf8)
    case "note" where entry.notes.isEmpty && Self.isPlain(credential, ["content"]):
      entry.notes = Array((credential["content"]?["value"]?.text ?? "").utf8)
    case "totp" where entry.oneTimeCode == nil:
      guard let url = Self.oneTimeCode(credential) else { return entry.credentials.append(credential) }
      entry.oneTimeCode = url
    case "custom-fields" where Self.hasPlainFields(credential):
      for field in credential["fields"]?.elements ?? [] {
        entry.fields.append(
          ForeignEntry.Field(
            name: field["label"]?.text ?? "", value: Array((field["value"]?.text ?? "").utf8),
            isProtected: field["fieldType"] == .string("concealed-string")))
      }
    default: entry.credentials.append(credential)
    }
  }

  /// Whether the fields of a credential with these names have texts, if they exist. What is no text is kept whole.
  private static func isPlain(_ credential: JSONValue, _ names: [String]) -> Bool {
    names.allSatisfy { name in
      guard let field = credential[name], !field.isEmpty else { return true }
      return field["value"].map { $0.text != nil || $0 == .null } ?? false
    }
  }

  /// Whether all custom fields are texts, and the credential says nothing else.
  private static func hasPlainFields(_ credential: JSONValue) -> Bool {
    guard case .array(let fields)? = credential["fields"],
      Set(credential.members.keys).isSubset(of: ["type", "fields"])
    else { return false }
    return fields.allSatisfy { field in
      field["value"]?.text != nil
        && ["string", "concealed-string"].contains(field["fieldType"]?.text ?? "string")
        && Set(field.members.keys).isSubset(of: ["id", "fieldType", "label", "value"])
    }
  }

  /// The URL of a one-time code; nil if the credential lacks its key.
  private static func oneTimeCode(_ credential: JSONValue) -> String? {
    guard let secret = credential["secret"]?.text, !secret.isEmpty else { return nil }
    let escaped = { (text: String) in PercentEscapes.encode(text) }
    var url = "otpauth://totp/\(escaped(credential["username"]?.text ?? ""))?secret=\(escaped(secret))"
    if let issuer = credential["issuer"]?.text, !issuer.isEmpty { url += "&issuer=\(escaped(issuer))" }
    if let algorithm = credential["algorithm"]?.text { url += "&algorithm=\(escaped(algorithm.uppercased()))" }
    if case .integer(let digits)? = credential["digits"] { url += "&digits=\(digits)" }
    if case .integer(let period)? = credential["period"] { url += "&period=\(period)" }
    return url
  }
}
