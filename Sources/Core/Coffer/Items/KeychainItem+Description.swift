internal import CofferFormat
internal import CofferSystem
internal import CofferVault

extension KeychainItem {
  /// The type and the attributes that are set, for logs and debuggers. An item has no value, so none is shown; of
  /// attributes that are data, only the size is.
  public var description: String {
    let attributes = _fields.attributes.values.sorted {
      (Self.place(of: $0.key), $0.key) < (Self.place(of: $1.key), $1.key)
    }
    let texts = attributes.map { "\(Self.propertyName(of: $0.key)): \($0.value.readable(as: $0.key))" }
    return "\(Self.self)(\(texts.joined(separator: ", ")))"
  }

  /// The property for an attribute, or the four characters of its code if there is none.
  private static func propertyName(of code: AttributeCode) -> String {
    if code == .type && itemClass == .key { return "algorithm" }
    return propertyNames.first { $0.code == code }?.name ?? code.name
  }

  private static func place(of code: AttributeCode) -> Int { propertyNames.firstIndex { $0.code == code } ?? .max }
}

/// The properties of the item types, in the order of their initialisers.
private let propertyNames: [(code: AttributeCode, name: String)] = [
  (.service, "service"), (.server, "server"), (.account, "account"), (.protocol, "protocol"), (.port, "port"),
  (.path, "path"), (.securityDomain, "securityDomain"), (.authenticationType, "authenticationType"),
  (.keyClass, "kind"), (.type, "type"), (.keySizeInBits, "sizeInBits"), (.effectiveKeySize, "effectiveSizeInBits"),
  (.applicationLabel, "applicationLabel"), (.applicationTag, "applicationTag"), (.subject, "subject"),
  (.issuer, "issuer"), (.serialNumber, "serialNumber"), (.subjectKeyID, "subjectKeyIdentifier"),
  (.publicKeyHash, "publicKeyHash"), (.notBefore, "notBefore"), (.notAfter, "notAfter"), (.label, "label"),
  (.comment, "comment"), (.itemDescription, "itemDescription"), (.generic, "generic"), (.creator, "creator"),
  (.startDate, "startDate"), (.endDate, "endDate"), (.isInvisible, "isInvisible"), (.isNegative, "isNegative"),
  (.oneTimePassword, "oneTimePassword"), (.accessible, "accessibility"), (.synchronizable, "isSynchronizable"),
]

extension AttributeValue {
  /// The value of an attribute in one line that cannot control a terminal.
  fileprivate func readable(as code: AttributeCode) -> String {
    if code == .oneTimePassword { return "set" }
    if code == .accessible, let known = text.flatMap(ItemAccessibility.init(rawValue:)) { return ".\(known)" }
    return switch self {
    case .string(let text): "\"\(text.sanitizedForTerminal())\""
    case .data(let bytes): "\(bytes.count) bytes"
    case .number(let number): "\(number)"
    case .date(let date): "\(date.date)"
    }
  }
}
