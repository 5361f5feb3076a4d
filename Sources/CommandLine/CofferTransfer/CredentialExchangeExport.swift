internal import CofferCrypto
package import CofferPlatform
package import CofferSystem

/// The items in FIDO's Credential Exchange Format 1.0. What the format has no credential for, and the exact attributes,
/// are in an extension with the name coffer, which other programs ignore.
package enum CredentialExchangeExport {
  /// Returns the file's contents. `vault` identifies the vault.
  package static func json(_ entries: [ExportedEntry], vault: [UInt8], asOf now: Date) -> JSONValue {
    var collections: [String: [JSONValue]] = [:]
    let items = entries.map { entry in
      let id = JSONValue.string(base64URL(entry.identifier))
      collections[entry.group, default: []].append(.object(["item": id]))
      return item(entry, id: id)
    }
    let account: [String: JSONValue] = [
      "id": .string(base64URL(vault)), "username": .string(""), "email": .string(""), "items": .array(items),
      "collections": .array(
        collections.sorted { $0.key < $1.key }.enumerated().map { number, collection in
          .object([
            "id": .string(base64URL(Array("collection \(number)".utf8))), "title": .string(collection.key),
            "items": .array(collection.value),
          ])
        }),
    ]
    return .object([
      "version": .object(["major": .integer(1), "minor": .integer(0)]), "exporterRpId": .string("coffer.invalid"),
      "exporterDisplayName": .string("Coffer"), "timestamp": .integer(Int64(now.timeIntervalSince1970)),
      "accounts": .array([.object(account)]),
    ])
  }

  private static func base64URL(_ bytes: [UInt8]) -> String {
    String(decoding: Base64.encode(bytes), as: UTF8.self).replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }

  private static func item(_ entry: ExportedEntry, id: JSONValue) -> JSONValue {
    var item: [String: JSONValue] = [
      "id": id, "title": .string(entry.title), "credentials": .array(credentials(of: entry)),
      "extensions": .array([.object(["name": .string("coffer"), "items": .array(entry.items.map { line($0, entry) })])]
      ),
    ]
    item["creationAt"] = seconds(entry.origin?.created, or: entry.created)
    item["modifiedAt"] = seconds(entry.origin?.modified, or: entry.modified)
    if let tags = entry.origin?.tags, !tags.isEmpty { item["tags"] = .array(tags.map(JSONValue.string)) }
    if !entry.addresses.isEmpty {
      item["scope"] = .object(["urls": .array(entry.addresses.map(JSONValue.string)), "androidApps": .array([])])
    }
    return .object(item)
  }

  private static func seconds(_ text: String?, or date: Date?) -> JSONValue? {
    let found = text.flatMap { try? Date.ISO8601FormatStyle.iso8601.parse($0) } ?? date
    return found.map { .integer(Int64($0.timeIntervalSince1970)) }
  }

  private static func credentials(of entry: ExportedEntry) -> [JSONValue] {
    var credentials: [JSONValue] = []
    let password = entry.password?.text
    if password != nil || !entry.username.isEmpty {
      var login: [String: JSONValue] = ["type": .string("basic-auth"), "username": field(entry.username)]
      login["password"] = password.map { field($0, "concealed-string") }
      credentials.append(.object(login))
    }
    if let text = entry.notes?.text { credentials.append(.object(["type": .string("note"), "content": field(text)])) }
    if let code = entry.oneTimeCodeText.flatMap(oneTimeCode) { credentials.append(code) }
    credentials += entry.detailsObject?["credentials"]?.elements ?? []
    let fields: [JSONValue] = (entry.detailsObject?["fields"]?.elements ?? []).compactMap { found in
      guard let value = found["value"]?.text else { return nil }
      let isProtected = found["isProtected"] == .bool(true)
      return field(value, isProtected ? "concealed-string" : "string", label: found["name"]?.text)
    }
    if !fields.isEmpty { credentials.append(.object(["type": .string("custom-fields"), "fields": .array(fields)])) }
    return credentials
  }

  private static func field(_ value: String, _ type: String = "string", label: String? = nil) -> JSONValue {
    var field: [String: JSONValue] = ["fieldType": .string(type), "value": .string(value)]
    if let label { field["label"] = .string(label) }
    return .object(field)
  }

  /// Returns the credential of an `otpauth:` URL; nil for a URL of another kind, which only the extension has.
  private static func oneTimeCode(_ url: String) -> JSONValue? {
    guard url.hasPrefix("otpauth://totp/"), let question = url.firstIndex(of: "?") else { return nil }
    func decoded(_ text: Substring) -> String? {
      PercentEscapes.decode(text).flatMap { String(validating: $0, as: UTF8.self) }
    }
    var parameters: [String: String] = [:]
    for pair in url[question...].dropFirst().split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1)
      if parts.count == 2 { parameters[parts[0].lowercased()] = decoded(parts[1]) }
    }
    guard let secret = parameters["secret"] else { return nil }
    var credential: [String: JSONValue] = [
      "type": .string("totp"), "secret": .string(secret),
      "algorithm": .string((parameters["algorithm"] ?? "SHA1").lowercased()),
      "digits": .integer(parameters["digits"].flatMap(Int64.init) ?? 6),
      "period": .integer(parameters["period"].flatMap(Int64.init) ?? 30),
    ]
    let label = decoded(url[..<question].dropFirst("otpauth://totp/".count)) ?? ""
    if !label.isEmpty { credential["username"] = .string(label) }
    if let issuer = parameters["issuer"] { credential["issuer"] = .string(issuer) }
    return .object(credential)
  }

  /// The item for the extension: without its value if a credential has that, whose type is then named.
  private static func line(_ item: ExportedItem, _ entry: ExportedEntry) -> JSONValue {
    var line = item.line
    if item.text != nil {
      let isPassword = item.identifier == entry.password?.identifier
      if isPassword || item.identifier == entry.notes?.identifier {
        line.value = nil
        line.name = isPassword ? "basic-auth" : "note"
      }
    }
    // What was encoded can be decoded.
    let encoded = (try? JSONEncoder().encode(line)) ?? Data()
    return JSONValue(json: encoded) ?? .null
  }
}
