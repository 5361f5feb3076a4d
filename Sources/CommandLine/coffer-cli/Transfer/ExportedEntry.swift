internal import CofferPlatform
internal import CofferSystem

/// The items of one entry: a password, and what an import has stored beside it.
struct ExportedEntry {
  private(set) var password: ExportedItem?
  private(set) var notes: ExportedItem?
  private(set) var oneTimeCode: ExportedItem?
  private(set) var details: ExportedItem?
  private(set) var attachments: [ExportedItem] = []
  /// Certificates and keys.
  private(set) var others: [ExportedItem] = []

  /// Puts the items of each entry together, in the order of the first ones.
  static func all(_ items: [ExportedItem]) -> [ExportedEntry] {
    var entries: [ExportedEntry] = []
    var places: [String: Int] = [:]
    for item in items {
      guard let origin = item.origin, item.isPassword else {
        var entry = ExportedEntry()
        if item.isPassword { entry.password = item } else { entry.others = [item] }
        entries.append(entry)
        continue
      }
      let key = "\(item.group)\u{0}\(origin.source)\u{0}\(origin.entry)"
      if let place = places[key], entries[place].take(item, as: origin.part) { continue }
      places[key] = places[key] ?? entries.count
      var entry = ExportedEntry()
      if !entry.take(item, as: origin.part) { entry.password = item }
      entries.append(entry)
    }
    return entries
  }

  /// Takes an item as a part; false if the entry has such a part, or knows none of that name.
  private mutating func take(_ item: ExportedItem, as part: String) -> Bool {
    let place: WritableKeyPath<ExportedEntry, ExportedItem?>
    switch part {
    case "": place = \.password
    case "notes": place = \.notes
    case "one-time code": place = \.oneTimeCode
    case "details": place = \.details
    case "attachment":
      attachments.append(item)
      return true
    default: return false
    }
    guard self[keyPath: place] == nil else { return false }
    self[keyPath: place] = item
    return true
  }

  /// The `otpauth:` URL: an item of its own, or an attribute of the password.
  var oneTimeCodeText: String? {
    oneTimeCode?.text ?? password.flatMap { $0.line.text(ImportedItem.oneTimePasswordCode) }
  }

  /// All items, the password first.
  var items: [ExportedItem] {
    [password, notes, oneTimeCode, details].compactMap(\.self) + attachments + others
  }

  /// The item that names the entry. There is always one.
  private var first: ExportedItem? { items.first }

  var origin: EntryOrigin? { first?.origin }
  var group: String { first?.group ?? "" }
  var identifier: [UInt8] { first?.identifier ?? [] }
  var created: Date? { first?.created }
  var modified: Date? { first?.modified }
  var username: String { password?.attribute("acct") ?? "" }

  var title: String {
    let candidates = [origin?.title ?? ""] + ["labl", "svce", "srvr"].map { first?.attribute($0) ?? "" }
    return candidates.first { !$0.isEmpty } ?? first?.line.itemClass ?? ""
  }

  /// What the import had no attribute for.
  var detailsObject: JSONValue? {
    details.flatMap { JSONValue(json: $0.value) }
  }

  /// The addresses, as the source wrote them or as the attributes say.
  var addresses: [String] {
    let all = (detailsObject?["urls"]?.elements ?? []).compactMap(\.text)
    guard all.isEmpty, let password, !password.attribute("srvr").isEmpty else { return all }
    var port = ""
    if case .number(let number)? = password.line.attributes?["port"] { port = ":\(number)" }
    let scheme = URLScheme.named(byProtocol: password.attribute("ptcl")).map { "\($0)://" } ?? ""
    let path = password.attribute("path")
    // Without a slash, the path would continue the host's name or the port.
    let separator = path.isEmpty || path.hasPrefix("/") ? "" : "/"
    return ["\(scheme)\(password.attribute("srvr"))\(port)\(separator)\(path)"]
  }
}
