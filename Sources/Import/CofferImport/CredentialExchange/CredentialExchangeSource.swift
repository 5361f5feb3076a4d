internal import CofferPlatform
internal import CofferSystem

/// A file in FIDO's Credential Exchange Format 1.0, without its encryption: `coffer export cxf`, Apple Passwords,
/// Bitwarden, 1Password, Dashlane.
package struct CredentialExchangeSource: EntrySource {
  private let input: SourceInput

  package init(_ input: SourceInput) { self.input = input }

  private static let format = "Credential Exchange Format"

  package func read(into sink: inout EntrySink) throws {
    let header = try JSONFile.value(input.contents(for: &sink), what: Self.format)
    guard case .array(let accounts)? = header["accounts"], case .integer(let major)? = header["version"]?["major"]
    else {
      throw ImportError.malformed(Self.format, "it has no version or no accounts")
    }
    guard major == 1 else {
      throw ImportError(
        "the file is in version \(major) of the Credential Exchange Format, which this Coffer does not know",
        recoverySuggestion: "export it in version 1, or upgrade Coffer")
    }
    try sink.count(accounts.reduce(0) { $0 + ($1["items"]?.elements.count ?? 0) })
    for account in accounts {
      var folders: [String: [[String]]] = [:]
      var shownByteCount = 0
      for collection in account.list("collections") { Self.collect(collection, [], &folders, depth: 0) }
      for item in account.list("items") {
        try read(item, folders, &shownByteCount, into: &sink)
      }
    }
  }

  /// Collects the collections of each item. The first one is its folder.
  private static func collect(
    _ collection: JSONValue, _ outer: [String], _ folders: inout [String: [[String]]], depth: Int
  ) {
    // JSON with more levels is not read.
    guard depth < 512 else { return }
    let path = outer + [collection.string("title")]
    for link in collection.list("items") {
      if let item = link["item"]?.text { folders[item, default: []].append(path) }
    }
    for inner in collection.list("subCollections") { collect(inner, path, &folders, depth: depth + 1) }
  }

  /// The largest sum of the names of the collections of all items: each item has the names of all of its collections.
  private static let maximumCollectionByteCount = 16 << 20

  /// Reads an item. `shownByteCount` is the sum of the names of the collections so far.
  private func read(
    _ item: JSONValue, _ folders: [String: [[String]]], _ shownByteCount: inout Int, into sink: inout EntrySink
  ) throws {
    let own = item["extensions"]?.elements.first { $0["name"] == .string("coffer") }
    let credentials = item.list("credentials")
    // What Coffer has exported comes back as it was.
    if let lines = own?["items"]?.elements, !lines.isEmpty {
      let first = Dictionary(credentials.map { ($0["type"]?.text, $0) }, uniquingKeysWith: { first, _ in first })
      for line in lines {
        do {
          try sink.add(Self.line(line, first))
        } catch let error as ImportError {
          try sink.skip(item.string("title"), because: error.message)
        }
      }
      for type in Self.foreignTypes(of: credentials, beside: lines) {
        try sink.skip(item.string("title"), because: "another program has added or changed a credential: \(type)")
      }
      return
    }
    let paths = item["id"]?.text.flatMap { folders[$0] } ?? []
    var entry = CredentialExchangeItem(item, folder: paths.first ?? []).entry
    if paths.count > 1 {
      for name in paths.joined() {
        shownByteCount += name.utf8.count + 16
        guard shownByteCount <= Self.maximumCollectionByteCount else {
          throw ImportError.tooMuch(
            "the items are in collections with more than \(Self.maximumCollectionByteCount.byteCountText) of names")
        }
      }
      entry.extra["collections"] = .array(paths.map { .array($0.map(JSONValue.string)) })
    }
    try sink.add(entry)
  }

  /// Returns the types of the credentials that no item of Coffer's extension has.
  private static func foreignTypes(of credentials: [JSONValue], beside lines: [JSONValue]) -> [String] {
    // The items without a value, which have that of the first credential of a type.
    let names = lines.compactMap { $0["value"] == nil && $0["valueBase64"] == nil ? $0["name"]?.text : nil }
    var open = Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
    let texts = lines.compactMap { $0["value"]?.text }
    let known = Set(
      texts.flatMap { text in
        JSONValue(json: text.utf8)?["credentials"]?.elements ?? []
      })
    return credentials.compactMap { credential -> String? in
      let type = credential.string("type")
      if let count = open[type], count > 0 {
        open[type] = count - 1
        return nil
      }
      // An export makes these of an item's URL and of its details, and of its account if it has no password.
      let hasPassword = credential["password"]?["value"]?.text?.isEmpty == false
      let isDerived = ["totp", "custom-fields"].contains(type) || type == "basic-auth" && !hasPassword
      return isDerived || known.contains(credential) ? nil : type
    }
  }

  /// Returns an item of an export of Coffer. The credentials, the first of each type, have the values that other
  /// programs may have changed.
  private static func line(_ value: JSONValue, _ credentials: [String?: JSONValue]) throws -> ImportLine {
    guard var line = try? JSONDecoder().decode(ImportLine.self, from: JSONEncoder().encode(value)),
      line.itemClass != nil
    else {
      throw ImportError.malformed(format, "an item of Coffer in it is damaged")
    }
    guard line.value == nil, line.valueBase64 == nil else { return line }
    let source = line.name
    line.name = nil
    let found = credentials[source]
    let field = source == "note" ? found?["content"] : found?["password"]
    guard let text = field?["value"]?.text else {
      throw ImportError.malformed(format, "the value of an item of Coffer is missing in it")
    }
    line.value = text
    return line
  }
}

/// An item of the Credential Exchange Format.
struct CredentialExchangeItem {
  private(set) var entry = ForeignEntry()

  init(_ item: JSONValue, folder: [String]) {
    entry.identifier = item["id"]?.text
    entry.folder = folder
    entry.title = item.string("title")
    entry.created = item["creationAt"]?.date
    entry.modified = item["modifiedAt"]?.date
    entry.tags = item.list("tags").compactMap(\.text)
    entry.addresses = (item["scope"]?["urls"]?.elements ?? []).compactMap(\.text)
    for credential in item.list("credentials") { take(credential) }
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
      for field in credential.list("fields") {
        let isProtected = field["fieldType"] == .string("concealed-string")
        entry.addField(field.string("label"), field.string("value"), isProtected: isProtected)
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
    var url = "otpauth://totp/\(escaped(credential.string("username")))?secret=\(escaped(secret))"
    if let issuer = credential["issuer"]?.text, !issuer.isEmpty { url += "&issuer=\(escaped(issuer))" }
    if let algorithm = credential["algorithm"]?.text { url += "&algorithm=\(escaped(algorithm.uppercased()))" }
    if case .integer(let digits)? = credential["digits"] { url += "&digits=\(digits)" }
    if case .integer(let period)? = credential["period"] { url += "&period=\(period)" }
    return url
  }
}

/// The file of `coffer export json`: all items with all attributes.
package struct CofferExportSource: EntrySource {
  private let input: SourceInput

  package init(_ input: SourceInput) { self.input = input }

  private struct Export: Decodable {
    let format: String
    let version: Int
    let items: [ImportLine]
  }

  package func read(into sink: inout EntrySink) throws {
    let export: Export
    let bytes = try input.contents(for: &sink)
    do {
      export = try JSONDecoder().decode(Export.self, from: Data(bytes))
    } catch {
      throw ImportError.malformed("file of coffer export json", "it is not JSON, or has no items")
    }
    guard export.format == "coffer-export", export.version == 1 else {
      throw ImportError.malformed("file of coffer export json", "it has another format or version")
    }
    try sink.count(export.items.count)
    for (index, item) in export.items.enumerated() {
      guard item.itemClass != nil, item.attributes != nil else {
        try sink.skip("item \(index + 1)", because: "it has no class or no attributes")
        continue
      }
      try sink.add(item)
    }
  }
}
