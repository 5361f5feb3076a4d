internal import Coffer
internal import CofferFormat
internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem
internal import CofferTrust
internal import CofferVault

/// An item of the vault, as an export writes it.
struct ExportedItem {
  /// With the group as its folder.
  let line: ImportLine
  /// What an import has said of the entry; nil for an item that none has written.
  let origin: EntryOrigin?
  let itemClass: ItemClass
  let value: [UInt8]
  let created: Date?
  let modified: Date?
  /// The persistent reference, which identifies the item for other programs.
  let identifier: [UInt8]

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

  var group: String { line.folder ?? "" }
  var isPassword: Bool { itemClass == .genericPassword || itemClass == .internetPassword }
  var text: String? { String(validating: value, as: UTF8.self) }

  func attribute(_ code: String) -> String { line.text(code) ?? "" }
}

extension ExportedItem {
  /// Reads all items of the groups that the vault's opener reaches, or of one. `skip` receives what is left out, and why.
  static func all(
    in vault: Vault, group: String?, skip: (String, String) -> Void
  ) throws(VaultError) -> [ExportedItem] {
    let team = try vault.local.settledMembership().team.prefix
    var items: [ExportedItem] = []
    for name in try vault.groupNames(group) {
      for itemClass in ItemClass.allCases {
        var damaged = 0
        let found = try vault.find(ItemSearch(itemClass, group: name), withValues: true) { _ in damaged += 1 }
        let short = name.hasPrefix(team) ? String(name.dropFirst(team.count)) : name
        for _ in 0..<damaged { skip("an item in \(short)", "it is damaged") }
        for item in found {
          let exported = ExportedItem(item, group: short)
          guard item.attributes[.accessControl] == nil else {
            skip(exported.name, "an app asks for a confirmation before its value is used")
            continue
          }
          items.append(exported)
        }
      }
    }
    return items
  }

  /// The attributes, in words, that files have no place for whose entries are a name, a password and notes.
  var attributesWithoutColumn: String {
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
  var name: String {
    let names = ["svce", "srvr", "acct", "labl"].map(attribute).filter { !$0.isEmpty }
    return names.isEmpty ? line.itemClass ?? "" : names.joined(separator: ", ")
  }
}
