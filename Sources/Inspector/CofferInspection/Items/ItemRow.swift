package import Coffer
internal import CofferCrypto
package import CofferFormat
package import CofferPlatform
internal import CofferSystem
internal import CofferVault
internal import CofferX509

/// An item as a list shows it, without its value. All texts are as they are stored: show them with ``DisplayText``.
package struct ItemRow: Sendable, Hashable {
  package let reference: ItemReference
  /// The access group's full name.
  package let group: String
  /// The service, server or label; never empty.
  package let title: String
  /// The account, issuer or tag; empty if there is none.
  package let subtitle: String
  package let label: String?
  /// The attributes that the texts come from.
  package let names: StoredNames
  /// What matters most of a certificate, a key or an internet password: "RSA, 2048 bits".
  package let detail: String?
  package let created: Date
  package let modified: Date
  /// The end of the validity of a certificate or a key.
  package let expires: Date?
  package let writer: ItemWriter
  /// Whether machines have changed the item at the same time.
  package let hasConflict: Bool
  /// Whether a desktop program has stored the item over the Secret Service.
  private let isOfDesktop: Bool

  package var kind: ItemKind { reference.kind }

  init(_ found: FoundItem, as kind: ItemKind? = nil) {
    let names = ItemNames(found)
    reference = ItemReference(found, as: kind)
    group = found.group
    title = names.title
    subtitle = names.subtitle
    label = names.label
    self.names = names.stored
    detail = names.detail
    created = (found.attributes.date(.created) ?? Timestamp(microseconds: 0)).date
    modified = (found.attributes.date(.modified) ?? Timestamp(microseconds: 0)).date
    expires = names.expires?.date
    writer = found.writer
    hasConflict = found.hasConflict
    isOfDesktop = found.attributes[.generic]?.matchBytes.first == UInt8(ascii: "{")
  }
}

extension ItemRow {
  /// The name that people have given the item, or know it by: its label, otherwise the title. Never empty.
  package var name: String { label ?? title }

  /// The account, issuer or tag, without the hash by which the Secret Service tells items of one account apart.
  package var account: String {
    let words = subtitle.split(separator: " ", omittingEmptySubsequences: false)
    guard isOfDesktop, let last = words.last, last.utf8.count == 12, last.allSatisfy(\.isHexDigit) else {
      return subtitle
    }
    return words.dropLast().joined(separator: " ")
  }

  /// What tells items of one name apart: the account, the service, and what else matters of the item.
  package var caption: String {
    if isOfDesktop, title == SecretServiceRecord.collectionService { return "Collection of desktop programs" }
    return [account, title, detail ?? ""].filter { !$0.isEmpty && $0 != name }.joined(separator: " · ")
  }
}

/// The texts by which lists name an item, as they are stored.
struct ItemNames {
  let title: String
  let subtitle: String
  let label: String?
  let detail: String?
  let expires: Timestamp?
  /// The attributes that the texts come from.
  let stored: StoredNames

  /// The name that lists on pages are sorted by.
  var name: String { label ?? title }

  init(_ found: FoundItem) { self.init(found.attributes, of: found.itemClass) }

  init(_ attributes: ItemAttributes, of itemClass: ItemClass) {
    func text(_ code: AttributeCode) -> String? {
      attributes[code].flatMap { value in
        if case .data(let bytes) = value, String(validating: bytes, as: UTF8.self) == nil {
          hexadecimal(bytes.prefix(64))
        } else {
          value.text
        }
      }.flatMap { $0.isEmpty ? nil : $0 }
    }
    label = text(.label)
    let issuer = attributes[.issuer].flatMap { DistinguishedName(normalizedContent: $0.matchBytes)?.summary }
    stored = StoredNames(attributes, of: itemClass, issuer: issuer)
    switch itemClass {
    case .genericPassword:
      title = text(.service) ?? label ?? "(no service)"
      subtitle = text(.account) ?? ""
      detail = nil
      expires = nil
    case .internetPassword:
      title = text(.server) ?? label ?? "(no server)"
      subtitle = text(.account) ?? ""
      let parts = [
        attributes[.protocol].flatMap(AttributeWords.internetProtocol),
        attributes[.port]?.number.flatMap { $0 == 0 ? nil : "port \($0)" }, text(.path),
      ].compactMap(\.self)
      detail = parts.isEmpty ? nil : parts.joined(separator: ", ")
      expires = nil
    case .certificate:
      title = label ?? text(.subjectTexts)?.split(separator: "\n").first.map(String.init) ?? "(no subject)"
      subtitle = issuer ?? ""
      expires = attributes.date(.notAfter)
      detail = nil
    case .key:
      let tag = text(.applicationTag)
      title =
        label ?? tag ?? attributes[.applicationLabel].map { "key \(hexadecimal($0.matchBytes.prefix(4)))" }
        ?? "(no name)"
      subtitle = tag ?? ""
      expires = attributes.date(.endDate).flatMap { $0.microseconds == 0 ? nil : $0 }
      detail = KeyWords.summary(attributes)
    }
  }
}

/// The attributes by which people know an item, as they are stored, for programs. Nil for those that are not set.
package struct StoredNames: Sendable, Hashable, Encodable {
  package let service: String?
  package let server: String?
  package let account: String?
  package let label: String?
  /// The issuer of a certificate.
  package let issuer: String?
  /// The application tag of a key, if it is text.
  package let tag: String?

  package init(_ attributes: ItemAttributes, of itemClass: ItemClass) {
    self = ItemNames(attributes, of: itemClass).stored
  }

  init(_ attributes: ItemAttributes, of itemClass: ItemClass, issuer: String?) {
    let isPassword = itemClass == .genericPassword || itemClass == .internetPassword
    service = itemClass == .genericPassword ? attributes[.service]?.text : nil
    server = itemClass == .internetPassword ? attributes[.server]?.text : nil
    account = isPassword ? attributes[.account]?.text : nil
    label = attributes[.label]?.text
    self.issuer = itemClass == .certificate ? issuer : nil
    tag = itemClass == .key ? attributes[.applicationTag]?.text : nil
  }
}

/// The name of an item in a sentence, such as `github.com, jane`.
package struct ItemTitle: Sendable {
  /// The text. It can contain any character: escape it for a terminal or a page.
  package let text: String

  package init(_ attributes: ItemAttributes, of itemClass: ItemClass) {
    let names = ItemNames(attributes, of: itemClass)
    text = names.subtitle.isEmpty ? names.title : "\(names.title), \(names.subtitle)"
  }
}

extension InternetPassword {
  /// What tells the passwords of one account at a server apart, as lists show it: "IMAPS, port 993"; nil if nothing of
  /// it is set.
  package var detail: String? { ItemNames(_fields.attributes, of: .internetPassword).detail }
}
