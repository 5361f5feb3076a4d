package import Coffer
package import CofferFormat
internal import CofferInspection
package import CofferPlatform
package import CofferSystem
internal import CofferTrust
package import CofferVault

/// The items of one entry: a password, and what an import has stored beside it.
package struct ExportedEntry {
  package private(set) var password: ExportedItem?
  package private(set) var notes: ExportedItem?
  package private(set) var oneTimeCode: ExportedItem?
  package private(set) var details: ExportedItem?
  package private(set) var attachments: [ExportedItem] = []
  /// Certificates and keys.
  package private(set) var others: [ExportedItem] = []

  /// Puts the items of each entry together, in the order of the first ones.
  package static func all(_ items: [ExportedItem]) -> [ExportedEntry] {
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
  package var oneTimeCodeText: String? {
    oneTimeCode?.text ?? password.flatMap { $0.line.text(ImportedItem.oneTimePasswordCode) }
  }

  /// All items, the password first.
  package var items: [ExportedItem] {
    [password, notes, oneTimeCode, details].compactMap(\.self) + attachments + others
  }

  /// The item that names the entry. There is always one.
  private var first: ExportedItem? { items.first }

  package var origin: EntryOrigin? { first?.origin }
  package var group: String { first?.group ?? "" }
  package var identifier: [UInt8] { first?.identifier ?? [] }
  package var created: Date? { first?.created }
  package var modified: Date? { first?.modified }
  package var username: String { first?.attribute("acct") ?? "" }

  package var title: String {
    let candidates = [origin?.title ?? ""] + ["labl", "svce", "srvr"].map { first?.attribute($0) ?? "" }
    return candidates.first { !$0.isEmpty } ?? first?.line.itemClass ?? ""
  }

  /// What the import had no attribute for.
  package var detailsObject: JSONValue? {
    details.flatMap { JSONValue(json: $0.value) }
  }

  /// The addresses, as the source wrote them or as the attributes say.
  package var addresses: [String] {
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

/// An item of the vault, as an export writes it.
package struct ExportedItem {
  /// With the group as its folder.
  package let line: ImportLine
  /// What an import has said of the entry; nil for an item that none has written.
  package let origin: EntryOrigin?
  package let itemClass: ItemClass
  package let value: [UInt8]
  package let created: Date?
  package let modified: Date?
  /// The persistent reference, which identifies the item for other programs.
  package let identifier: [UInt8]

  private static let ownCodes: [AttributeCode] = [.created, .modified, .persistentReference]

  /// `group` is the name without the team.
  init(_ found: FoundItem, group: String) {
    let kind = ItemKind(found.itemClass)
    var attributes: [String: ImportLine.Attribute] = [:]
    for (code, value) in found.attributes.removing(Self.ownCodes).values where !value.isDefault {
      attributes[code.name] = Self.attribute(value)
    }
    value = found.value ?? []
    origin = found.attributes.string(.comment).flatMap(EntryOrigin.init(comment:))
    line = ImportLine(kind.argument, folder: group, attributes: attributes, value: value, entry: origin?.entry)
    itemClass = found.itemClass
    created = found.attributes.date(.created)?.date
    modified = found.attributes.date(.modified)?.date
    identifier = found.attributes.identifier
  }

  private static func attribute(_ value: AttributeValue) -> ImportLine.Attribute {
    switch value {
    case .string(let text): .text(text)
    case .data(let bytes): .data(bytes)
    case .number(let number): .number(number)
    case .date(let date): .date(date.microseconds)
    }
  }

  package var group: String { line.folder ?? "" }
  package var isPassword: Bool { itemClass == .genericPassword || itemClass == .internetPassword }
  package var text: String? { String(validating: value, as: UTF8.self) }

  package func attribute(_ code: String) -> String { line.text(code) ?? "" }
}

extension ExportedItem {
  /// Reads all items of the groups that the vault's opener reaches, or of one. `skip` receives what is left out, and
  /// why.
  package static func all(
    in vault: Vault, group: String?, skip: (String, String) -> Void
  ) throws(VaultError) -> [ExportedItem] {
    let team = try vault.local.publishedMembership().team.prefix
    var items: [ExportedItem] = []
    for name in try vault.groupNames(group) {
      for itemClass in ItemClass.allCases {
        var damaged = 0
        let found = try vault.find(ItemSearch(itemClass, group: name), withValues: true) { _ in damaged += 1 }
        let short = name.hasPrefix(team) ? String(name.dropFirst(team.count)) : name
        for _ in 0..<damaged { skip("an item in \(short)", damage) }
        for item in found {
          let exported = ExportedItem(item, group: short)
          guard !item.isProtected else {
            skip(exported.name, protection)
            continue
          }
          items.append(exported)
        }
      }
    }
    return items
  }

  /// Reads the items at some addresses, one by one. Those that an app protects stay closed.
  package static func all(
    in vault: Vault, at addresses: [ItemAddress], skip: (String, String) -> Void
  ) throws(VaultError) -> [ExportedItem] {
    let team = try vault.local.publishedMembership().team
    var items: [ExportedItem] = []
    for address in addresses {
      let found = try vault.items(at: [address]) { _ in skip("an item", damage) }.first ?? nil
      guard let found else { continue }
      let group = team.removed(from: found.group)
      guard !found.isProtected else {
        skip(ExportedItem(found, group: group).name, protection)
        continue
      }
      if let opened = try vault.storedVersion(found.version, of: address) {
        items.append(ExportedItem(opened, group: group))
      }
    }
    return items
  }

  /// Why a damaged item is left out.
  package static let damage = "it is damaged"
  private static let protection = "an app asks for a confirmation before its value is used"

  /// The attributes, in words, that files have no place for whose entries are a name, a password and notes.
  package var attributesWithoutColumn: String {
    let codes = [
      ("icmt", "comment"), ("desc", "description"), ("gena", "generic attribute"), ("labl", "label"),
      ("sdmn", "security domain"),
    ]
    let lost = codes.filter { code, _ in
      guard line.attributes?[code] != nil else { return false }
      return switch code {
      // An import wrote its comment, and an internet password's label is the name.
      case "icmt": origin == nil
      case "labl": itemClass == .genericPassword && attribute("labl") != attribute("svce")
      default: true
      }
    }
    return lost.map { $0.1 }.joined(separator: ", ")
  }

  /// The names, for people.
  package var name: String {
    let names = ["svce", "srvr", "acct", "labl"].map(attribute).filter { !$0.isEmpty }
    return names.isEmpty ? line.itemClass ?? "" : names.joined(separator: ", ")
  }
}

extension FoundItem {
  /// Whether its app asks for a confirmation before the value is used.
  fileprivate var isProtected: Bool { attributes[.accessControl] != nil }
}
