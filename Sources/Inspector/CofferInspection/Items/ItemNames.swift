internal import Coffer
internal import CofferCrypto
package import CofferFormat
internal import CofferX509

/// The texts by which lists name an item, as they are stored.
struct ItemNames {
  let title: String
  let subtitle: String
  let label: String?
  let detail: String?
  let expires: Timestamp?
  /// The attributes that the texts come from.
  let stored: StoredNames

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
