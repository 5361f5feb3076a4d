internal import Coffer
internal import CofferCrypto
internal import CofferFormat
package import CofferPlatform
internal import CofferSystem
package import CofferVault

/// An attribute of an item as pages and commands show it.
package struct ItemAttributeRow: Sendable, Hashable {
  /// A choice of values, for a form.
  package struct Choice: Sendable, Hashable {
    /// The text that an edit takes.
    package let value: String
    package let name: String
  }

  /// The form field that an editable attribute needs.
  package enum Field: Sendable, Hashable {
    case text
    case number
    /// `1` or `0`.
    case flag
    case choice([Choice])
  }

  /// The attribute's code, by which an edit names it: `acct`.
  package let code: String
  /// The attribute in plain words: "Account".
  package let name: String
  /// The value in words. Text is as it is stored: show it with ``DisplayText``.
  package let text: String
  /// The value as a date, for machines to read.
  package let date: Date?
  /// The field for an edit; nil for an attribute that cannot be changed here.
  package let field: Field?
  /// The value as an edit takes it; empty if the attribute is not set.
  package let fieldText: String
  /// Whether the attribute is set. The table of an edit has those that are not, too.
  package let isSet: Bool

  init(_ definition: AttributeDefinition, _ value: AttributeValue?, of itemClass: ItemClass, isEditable: Bool) {
    code = definition.code.name
    name = definition.name
    let words = value.map { definition.words(for: $0) } ?? ""
    // As commands take it.
    text = definition.format == .reference && value != nil ? ItemReference.path(of: ItemKind(itemClass), words) : words
    date = if case .date(let date) = value { date.date } else { nil }
    field = definition.isEditable && isEditable ? definition.field : nil
    fieldText = value.map { definition.fieldText(of: $0) } ?? ""
    isSet = value != nil
  }

  /// Returns the attributes that are set, in the fixed order of the class; attributes without a definition come last. A
  /// port 0, and a protocol, path, domain or authentication that is empty, mean none and are left out.
  static func rows(_ attributes: ItemAttributes, of itemClass: ItemClass, isEditable: Bool = false) -> [Self] {
    let without = [AttributeCode.port, .protocol, .path, .securityDomain, .authenticationType]
      .filter { attributes[$0]?.isDefault == true }.map(\.name)
    return allRows(attributes, of: itemClass, isEditable: isEditable)
      .filter { $0.isSet && !without.contains($0.code) }
  }

  /// Returns the attributes that are set, and those that could be.
  static func allRows(_ attributes: ItemAttributes, of itemClass: ItemClass, isEditable: Bool) -> [Self] {
    let definitions = AttributeDefinition.all(of: itemClass)
    let known = Set(definitions.map(\.code))
    let others = attributes.values.map { $0.key }.filter { !known.contains($0) }.sorted()
    return (definitions + others.map { AttributeDefinition(unknown: $0) }).map { definition in
      // The accessibility of an item with an access control is part of that.
      let isFixed = definition.code == .accessible && attributes[.accessControl] != nil
      return Self(definition, attributes[definition.code], of: itemClass, isEditable: isEditable && !isFixed)
    }
  }
}

extension AttributeDefinition {
  var field: ItemAttributeRow.Field {
    switch format {
    case .number: .number
    case .flag: .flag
    case .accessibility:
      .choice(ItemAccessibility.allCases.map { .init(value: $0.rawValue, name: AttributeWords.accessibility($0)) })
    case .internetProtocol: .choice(AttributeWords.protocols.map { .init(value: $0.code, name: $0.name) })
    case .authenticationType: .choice(AttributeWords.authenticationTypes.map { .init(value: $0.code, name: $0.name) })
    default: .text
    }
  }

  /// Returns a value as an edit takes it.
  func fieldText(of value: AttributeValue) -> String {
    switch format {
    case .flag: value.isDefault ? "0" : "1"
    case .oneTimePassword: AttributeWords.comparison(of: value)
    default: value.text ?? ""
    }
  }

  func words(for value: AttributeValue) -> String {
    switch format {
    case .text, .number: value.text ?? AttributeWords.plain(value)
    case .data: AttributeWords.data(value.matchBytes)
    case .date: AttributeWords.plain(value)
    case .flag: value.isDefault ? "no" : "yes"
    case .accessibility: AttributeWords.accessibility(value)
    case .accessControl: AttributeWords.accessControl(value)
    case .internetProtocol: AttributeWords.internetProtocol(value) ?? AttributeWords.plain(value)
    case .authenticationType: AttributeWords.authenticationType(value) ?? AttributeWords.plain(value)
    case .keyClass: KeyWords.kind(value)
    case .algorithm: KeyWords.algorithm(value)
    case .name: AttributeWords.distinguishedName(value.matchBytes)
    case .bytes: AttributeWords.hexadecimalPairs(value.matchBytes)
    case .reference: hexadecimal(value.matchBytes)
    case .oneTimePassword: AttributeWords.oneTimePassword(value)
    case .lines: (value.text ?? "").split(separator: "\n").joined(separator: ", ")
    }
  }
}

extension ItemAttributeRow {
  /// Returns a text as an edit takes it. A choice is given by its name or its code. Throws `invalidArgument` for
  /// another choice; `option` is what has the text, for the error.
  package func value(of text: String, named option: String) throws(VaultError) -> String {
    guard case .choice(let choices) = field, !text.isEmpty else { return text }
    let wanted = text.lowercased()
    guard let choice = choices.first(where: { $0.name.lowercased() == wanted || $0.value.lowercased() == wanted })
    else {
      throw VaultError(
        .invalidArgument, "\(option) cannot be \(text.sanitizedForTerminal())",
        recoverySuggestion: "choose one of: \(choices.map(\.name).joined(separator: ", "))")
    }
    return choice.value
  }
}
