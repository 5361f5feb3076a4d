internal import CofferPlatform
internal import CofferSystem

/// An item of Bitwarden: a login, a note, a card, an identity or an SSH key.
struct BitwardenItem {
  private(set) var entry = ForeignEntry()

  init(_ item: JSONValue, folders: [String: String]) {
    entry.identifier = item["id"]?.text
    entry.title = item["name"]?.text ?? ""
    let folder = item["folderId"]?.text ?? item["collectionIds"]?.elements.first?.text
    entry.folder = (folder.flatMap { folders[$0] } ?? "").split(separator: "/").map(String.init)
    entry.notes = Array((item["notes"]?.text ?? "").utf8)
    entry.created = item["creationDate"]?.text.flatMap(Date.init(iso8601:))
    entry.modified = item["revisionDate"]?.text.flatMap(Date.init(iso8601:))
    var extra = item.removing([
      "id", "name", "folderId", "collectionIds", "notes", "creationDate", "revisionDate", "login", "fields",
      "passwordHistory", "organizationId", "type",
    ]).members
    // False and 0 are the defaults of both.
    if extra["favorite"] == .bool(false) { extra["favorite"] = nil }
    if extra["reprompt"] == .integer(0) { extra["reprompt"] = nil }
    if let login = item["login"] { take(login, &extra) }
    // Of a card, the type says what the rest is; a login and a note are known by what they have.
    if let type = item["type"], type != .integer(1), type != .integer(2) { extra["type"] = type }
    if extra["secureNote"] == .object(["type": .integer(0)]) { extra["secureNote"] = nil }
    for field in item["fields"]?.elements ?? [] {
      let value = field["value"]?.text ?? ""
      entry.fields.append(
        ForeignEntry.Field(
          name: field["name"]?.text ?? "", value: Array(value.utf8), isProtected: field["type"] == .integer(1)))
    }
    // A field that shows another one, or that is on or off, is more than a name and a text.
    let others = (item["fields"]?.elements ?? []).filter { field in
      let type = field["type"] ?? .integer(0)
      return type != .integer(0) && type != .integer(1) || field["linkedId"]?.isEmpty == false
    }
    if !others.isEmpty { extra["fields"] = .array(others) }
    let collections = item["collectionIds"]?.elements ?? []
    if collections.count > (item["folderId"]?.text == nil ? 1 : 0) {
      extra["collections"] = .array(collections.map { id in .string(id.text.map { folders[$0] ?? $0 } ?? "") })
    }
    if let organization = item["organizationId"], !organization.isEmpty { extra["organizationId"] = organization }
    entry.history = item["passwordHistory"]?.elements ?? []
    entry.extra = extra
  }

  private mutating func take(_ login: JSONValue, _ extra: inout [String: JSONValue]) {
    entry.username = login["username"]?.text ?? ""
    entry.password = login["password"]?.text.map { Array($0.utf8) }
    let addresses = login["uris"]?.elements ?? []
    entry.addresses = addresses.compactMap { $0["uri"]?.text }
    // How an address is compared is lost without this.
    if addresses.contains(where: { $0["match"].map { !$0.isEmpty } ?? false }) { extra["uris"] = .array(addresses) }
    if let code = login["totp"]?.text, !code.isEmpty {
      let isWhole = code.hasPrefix("otpauth://") || code.hasPrefix("steam://")
      // Bitwarden takes every other text for a seed.
      entry.oneTimeCode = isWhole ? code : entry.codeURL(secret: code.filter { !$0.isWhitespace })
    }
    entry.credentials = (login["fido2Credentials"]?.elements ?? []).map(Self.passkey)
    let rest = login.removing(["username", "password", "uris", "totp", "fido2Credentials"])
    if !rest.isEmpty { extra["login"] = rest }
  }

  /// A passkey in the words of the exchange format, with what only Bitwarden says of it.
  private static func passkey(_ found: JSONValue) -> JSONValue {
    var passkey: [String: JSONValue] = ["type": .string("passkey"), "bitwarden": found]
    passkey["rpId"] = found["rpId"]
    passkey["username"] = found["userName"]
    passkey["userDisplayName"] = found["userDisplayName"]
    passkey["userHandle"] = found["userHandle"]
    passkey["key"] = found["keyValue"]
    passkey["credentialId"] = found["credentialId"]?.text.map { .string(credentialID($0)) }
    return .object(passkey)
  }

  /// The identifier in base64 for URLs: Bitwarden writes its own as UUIDs and others as `b64.…`.
  private static func credentialID(_ text: String) -> String {
    if text.hasPrefix("b64.") { return String(text.dropFirst(4)) }
    let digits = Array(text.utf8.filter { $0 != UInt8(ascii: "-") })
    let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap { place in
      String(validating: digits[place...(place + 1)], as: UTF8.self).flatMap { UInt8($0, radix: 16) }
    }
    guard digits.count == 32, bytes.count == 16 else { return text }
    return Data(bytes).base64EncodedString().base64ForURLs
  }
}
