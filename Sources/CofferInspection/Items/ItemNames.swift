internal import Coffer
internal import CofferCrypto
internal import CofferFormat
internal import CofferX509

/// The texts by which lists name an item, as they are stored.
struct ItemNames {
  let title: String
  let subtitle: String
  let label: String?
  let detail: String?
  let expires: Timestamp?

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
      subtitle = attributes[.issuer].flatMap { DistinguishedName(normalizedContent: $0.matchBytes)?.summary } ?? ""
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
