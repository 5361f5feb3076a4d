internal import CofferPlatform
internal import CofferSystem

/// An item of 1Password: a login, a card, a document or one of twenty other categories, with sections of fields.
struct OnePasswordItem {
  var entry = ForeignEntry()
  /// The files of the item, by the identifiers that their names in the archive begin with.
  private(set) var documents: [(id: String, name: String)] = []

  init(_ item: JSONValue, vault: String) {
    let (overview, details) = (item["overview"], item["details"])
    entry.identifier = item["uuid"]?.text
    entry.folder = vault.isEmpty ? [] : [vault]
    entry.title = overview?["title"]?.text ?? ""
    entry.created = item["createdAt"]?.date
    entry.modified = item["updatedAt"]?.date
    entry.tags = (overview?["tags"]?.elements ?? []).compactMap(\.text)
    let main = overview?["url"]?.text
    let all = (overview?["urls"]?.elements ?? []).compactMap { $0["url"]?.text }
    entry.addresses = (main.map { [$0] } ?? []).filter { !$0.isEmpty } + all.filter { $0 != main && !$0.isEmpty }
    entry.notes = Array((details?["notesPlain"]?.text ?? "").utf8)
    entry.password = details?["password"]?.text.map { Array($0.utf8) }
    for field in details?["loginFields"]?.elements ?? [] { take(loginField: field) }
    for section in details?["sections"]?.elements ?? [] {
      for field in section["fields"]?.elements ?? [] { take(field, in: section["title"]?.text ?? "") }
    }
    if let document = details?["documentAttributes"] { take(file: document) }
    entry.history = details?["passwordHistory"]?.elements ?? []
    addRest(of: item)
  }

  private mutating func take(loginField field: JSONValue) {
    let value = field["value"]?.text ?? ""
    switch field["designation"]?.text {
    case "username" where entry.username.isEmpty: entry.username = value
    case "password" where entry.password == nil: entry.password = Array(value.utf8)
    default:
      guard !value.isEmpty else { return }
      entry.fields.append(
        ForeignEntry.Field(
          name: field["name"]?.text ?? "", value: Array(value.utf8), isProtected: field["fieldType"] == .string("P")))
    }
  }

  private mutating func take(_ field: JSONValue, in section: String) {
    let title = field["title"]?.text ?? field["id"]?.text ?? ""
    let name = section.isEmpty ? title : "\(section)/\(title)"
    // Sorted: the order of a dictionary differs in each run.
    for (kind, value) in (field["value"]?.members ?? [:]).sorted(by: { $0.key < $1.key }) where !value.isEmpty {
      switch (kind, value) {
      case ("totp", .string(let text)) where entry.oneTimeCode == nil && text.hasPrefix("otpauth://"):
        entry.oneTimeCode = text
      case ("totp", .string(let text)) where entry.oneTimeCode == nil && entry.codeURL(ofSeed: text) != nil:
        entry.oneTimeCode = entry.codeURL(ofSeed: text)
      case ("file", _): take(file: value)
      case (_, .string(let text)):
        entry.fields.append(
          ForeignEntry.Field(name: name, value: Array(text.utf8), isProtected: kind == "concealed" || kind == "totp"))
      default:
        // A date, an address or an SSH key: its own words, under its name.
        entry.fields.append(ForeignEntry.Field(name: "\(name) (\(kind))", value: value.sortedBytes, isProtected: true))
      }
    }
  }

  private mutating func take(file: JSONValue) {
    guard let id = file["documentId"]?.text else { return }
    documents.append((id, file["fileName"]?.text ?? id))
  }

  private mutating func addRest(of item: JSONValue) {
    var extra = item.removing(["uuid", "createdAt", "updatedAt", "details", "overview", "state", "favIndex"]).members
    if item["state"] != .string("active") { extra["state"] = item["state"] }
    if extra["trashed"] == .bool(false) { extra["trashed"] = nil }
    if let index = item["favIndex"], index != .integer(0) { extra["favIndex"] = index }
    // The category of a login is the usual one.
    if extra["categoryUuid"] == .string("001") { extra["categoryUuid"] = nil }
    let known: Set = ["loginFields", "notesPlain", "sections", "passwordHistory", "documentAttributes", "password"]
    if let rest = item["details"]?.removing(known), !rest.isEmpty { extra["details"] = rest }
    // The subtitle repeats the username, and the strength of the password is computed.
    let shown: Set = ["title", "subtitle", "url", "urls", "tags", "ps", "pbe", "pgrng"]
    if let rest = item["overview"]?.removing(shown), !rest.isEmpty { extra["overview"] = rest }
    entry.extra = extra.filter { !$0.value.isEmpty }
  }
}
