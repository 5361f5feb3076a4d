internal import Coffer
internal import CofferFormat
internal import CofferSystem
internal import Foundation
internal import LocalAuthentication

extension ItemRequest {
  private static let maximumKeyCount = 128

  /// Parses and validates a dictionary of 1 to 128 keys, by the rules of Apple's SecItem. `known` is the item class, if
  /// another dictionary of the call specifies it. Throws `errSecParam` for an invalid dictionary, `errSecNoSuchAttr`
  /// for an attribute that the class does not have, `errSecNoSuchClass`, and `errSecUnimplemented` for features that
  /// are not supported.
  init(_ dictionary: CFDictionary, for purpose: Purpose, of known: RequestedClass? = nil) throws(SecurityError) {
    guard (1...Self.maximumKeyCount).contains(dictionary.count) else {
      throw SecurityError(
        errSecParam,
        dictionary.count == 0 ? "the dictionary is empty" : "the dictionary has more than \(Self.maximumKeyCount) keys")
    }
    let entries = try Self.entries(of: dictionary)
    if let known {
      self.init(known)
    } else {
      let reference = try Self.reference(in: entries)
      self.init(try Self.requestedClass(in: entries, reference))
      self.reference = reference
    }
    for entry in entries { try apply(entry, for: purpose) }
    try checkConsistency(for: purpose)
  }

  /// A key of a dictionary and its value.
  private struct Entry {
    let name: String
    /// The key; nil if the name is unknown.
    let key: RequestKey?
    let value: Any
  }

  /// Returns the entries of a dictionary, read at once: lookups and enumeration are several times slower in Foundation.
  private static func entries(of dictionary: CFDictionary) throws(SecurityError) -> [Entry] {
    let (names, values) = (dictionary.allKeys, dictionary.allValues)
    guard names.count == values.count else {
      throw SecurityError(errSecParam, "the dictionary was modified during the call")
    }
    var entries: [Entry] = []
    entries.reserveCapacity(names.count)
    for (name, value) in zip(names, values) {
      guard let name = name as? NSString else { throw SecurityError(errSecParam, "a dictionary key is not a string") }
      let text = String(name)
      entries.append(Entry(name: text, key: RequestKey(text), value: value))
    }
    return entries
  }

  private static func reference(in entries: [Entry]) throws(SecurityError) -> ItemReference? {
    var object: ItemReference?
    for entry in entries {
      switch entry.key {
      case .persistentReference:
        guard case .data(let data) = PropertyValue(entry.value), let reference = ItemReference(persistent: data) else {
          throw SecurityError(errSecParam, "kSecValuePersistentRef is not a persistent reference")
        }
        return reference
      case .reference:
        guard let reference = ItemReference(entry.value) else {
          throw SecurityError(errSecParam, "kSecValueRef is not a key, certificate or identity")
        }
        object = reference
      default: break
      }
    }
    return object
  }

  private static func requestedClass(
    in entries: [Entry], _ reference: ItemReference?
  ) throws(SecurityError) -> RequestedClass {
    let named = entries.first { if case .itemClass = $0.key { true } else { false } }
    guard let named else {
      guard let reference else { throw SecurityError(errSecParam, "kSecClass is missing") }
      return reference.itemClass
    }
    guard let name = PropertyValue(named.value).text else {
      throw SecurityError(errSecParam, "kSecClass is not a string")
    }
    guard let requested = RequestedClass(name) else {
      throw SecurityError(errSecNoSuchClass, "kSecClass is not a known class")
    }
    guard reference.map({ $0.itemClass == requested }) ?? true else {
      throw SecurityError(errSecParam, "kSecClass does not match the class of the given item")
    }
    return requested
  }

  private mutating func apply(_ entry: Entry, for purpose: Purpose) throws(SecurityError) {
    let name = entry.name
    guard let key = entry.key else {
      // Apple treats an unknown key of four characters as an attribute.
      throw name.utf8.count == 4
        ? SecurityError(errSecNoSuchAttr, "\(name.sanitizedForTerminal()) is not an attribute")
        : SecurityError(errSecParam, "the key \(name.sanitizedForTerminal()) is unknown")
    }
    let value = PropertyValue(entry.value)
    switch key {
    case .itemClass:
      if purpose == .newValues { throw SecurityError(errSecNoSuchAttr, "the class of an item cannot be changed") }
    case .ignored: break
    case .attribute, .accessible, .accessControl, .accessGroup, .synchronizable, .unsupportedStorage:
      try applyAttribute(key, name, value, for: purpose)
    // An ignored condition would change or delete items that the caller did not mean.
    case .match(let match): if purpose == .search || purpose == .selection { try apply(match, value) }
    case .limit: if purpose == .search { limit = try Self.limit(value) }
    case .returns(let type):
      guard purpose == .add || purpose == .search else { break }
      if try boolean(value, name) { returns.insert(type) }
    case .use(let use): if purpose != .newValues { try apply(use, value, for: purpose) }
    case .data: try applyData(value, for: purpose)
    case .reference, .persistentReference:
      if purpose == .newValues {
        throw SecurityError(errSecParam, "kSecValueRef and kSecValuePersistentRef cannot be updated")
      }
    }
  }

  // MARK: Attributes

  private mutating func applyAttribute(
    _ key: RequestKey, _ name: String, _ value: PropertyValue, for purpose: Purpose
  ) throws(SecurityError) {
    switch key {
    case .attribute(let code):
      guard itemClass.has(code) else {
        throw SecurityError(
          errSecNoSuchAttr, "the class \(itemClass.name) has no attribute \(name.sanitizedForTerminal())")
      }
      if case .null = value, purpose != .search, purpose != .selection {
        cleared.insert(code)
      } else {
        guard let value = AttributeValue(value, for: code.kind) else { throw wrongType(name) }
        attributes[code] = code == .issuer ? value.asIssuer : value
      }
    case .accessible:
      guard let text = value.text, ItemAccessibility(rawValue: text) != nil else { throw wrongType(name) }
      attributes[.accessible] = .string(text)
    case .accessControl:
      guard case .other(let object) = value, let control = object as? SecAccessControl else { throw wrongType(name) }
      accessControl = control
    case .accessGroup:
      let text = try text(value, name)
      // Apple's wildcard for all groups of the program.
      group = text == "*" && purpose != .newValues && purpose != .add ? nil : text
    case .synchronizable: synchronizable = try Self.synchronizable(value, for: purpose) { wrongType(name) }
    default: usesUnsupportedStorage = true
    }
  }

  private static func synchronizable(
    _ value: PropertyValue, for purpose: Purpose, _ wrongType: () -> SecurityError
  ) throws(SecurityError) -> ItemSearch.Synchronizable {
    if value.text == String(kSecAttrSynchronizableAny) {
      switch purpose {
      case .add: return .only(false)
      case .search, .selection: return .any
      case .newValues: throw wrongType()
      }
    }
    guard case .number(let number)? = AttributeValue(value, for: .number) else { throw wrongType() }
    return .only(number != 0)
  }

  private mutating func applyData(_ value: PropertyValue, for purpose: Purpose) throws(SecurityError) {
    guard purpose != .selection else { return }
    switch value {
    case .data(let data): if purpose != .search { self.value = [UInt8](data) }
    case .null where purpose == .newValues: self.value = []
    default: throw SecurityError(errSecParam, "kSecValueData is not data")
    }
  }

  // MARK: Conditions and options

  /// Returns the maximum number of results; nil for all, which a negative number stands for on Apple's systems, too.
  private static func limit(_ value: PropertyValue) throws(SecurityError) -> Int? {
    switch value {
    case .text(let text) where text == String(kSecMatchLimitOne): return 1
    case .text(let text) where text == String(kSecMatchLimitAll): return nil
    case .number(let number?): return number < 0 ? nil : Int(number)
    default: throw SecurityError(errSecParam, "kSecMatchLimit is neither a number nor one of its constants")
    }
  }

  private mutating func apply(_ match: RequestKey.Match, _ value: PropertyValue) throws(SecurityError) {
    switch match {
    case .policy:
      throw SecurityError(errSecUnimplemented, "kSecMatchPolicy is not supported: certificates are not verified")
    case .trustedOnly:
      if try boolean(value, String(kSecMatchTrustedOnly)) {
        throw SecurityError(errSecUnimplemented, "kSecMatchTrustedOnly is not supported: certificates are not verified")
      }
    case .subject(let place):
      matches.subjects.append(SubjectCondition(text: try text(value, "kSecMatchSubject…"), place: place))
    case .option(let option):
      if try boolean(value, "kSecMatch…Insensitive") { matches.options.insert(option) }
    case .emailAddress: matches.emailAddress = try text(value, String(kSecMatchEmailAddressIfPresent))
    case .host:
      guard let text = value.text, itemClass == .items(.internetPassword) else {
        throw SecurityError(
          errSecParam, "kSecMatchHostOrSubdomainOfHost requires a host name and the class of internet passwords")
      }
      matches.host = text
    case .validOnDate:
      guard itemClass == .items(.certificate) || itemClass == .identities else {
        throw SecurityError(errSecParam, "kSecMatchValidOnDate requires the class of certificates or identities")
      }
      switch value {
      case .date(let date): matches.date = date
      // In Apple's API, NSNull means the current date.
      case .null: matches.date = Date()
      default: throw wrongType(String(kSecMatchValidOnDate))
      }
    case .issuers: matches.issuers = try Self.issuers(value)
    case .itemList: matches.items = try Self.items(value)
    }
  }

  private mutating func apply(
    _ use: RequestKey.Use, _ value: PropertyValue, for purpose: Purpose
  ) throws(SecurityError) {
    switch use {
    case .itemList:
      guard purpose == .add else {
        throw SecurityError(errSecUnimplemented, "kSecUseItemList is not supported; use kSecMatchItemList")
      }
    case .operationPrompt: authentication.reason = try text(value, String(kSecUseOperationPrompt))
    case .noAuthenticationUI:
      if try boolean(value, String(kSecUseNoAuthenticationUI)) { authentication.interaction = .fail }
    case .authenticationUI:
      switch value.text {
      case String(kSecUseAuthenticationUIAllow): authentication.interaction = .allow
      case String(kSecUseAuthenticationUIFail): authentication.interaction = .fail
      case String(kSecUseAuthenticationUISkip): authentication.interaction = .skip
      default: throw SecurityError(errSecParam, "kSecUseAuthenticationUI has an unknown value")
      }
    case .authenticationContext:
      guard case .other(let object) = value, let context = object as? LAContext else {
        throw SecurityError(errSecParam, "kSecUseAuthenticationContext is not an LAContext")
      }
      authentication.context = context
    }
  }

  // MARK: Whole dictionaries

  private mutating func checkConsistency(for purpose: Purpose) throws(SecurityError) {
    if case .persistent = reference {
      guard purpose != .add else {
        throw SecurityError(errSecParam, "an item cannot be added with a persistent reference")
      }
      guard !hasAttributes else {
        throw SecurityError(errSecParam, "kSecValuePersistentRef cannot be combined with attributes")
      }
    }
    // Apple's implementation finds the certificate for an identity, and converts nothing but its persistent reference
    // to that of the identity. With anything else, the call succeeds without a result.
    if case .identity = reference, returns != .persistentReference || limit != 1 { returns = [] }
    guard let accessControl else { return }
    if let accessible = attributes[.accessible]?.text, accessible != accessControl.protection {
      throw SecurityError(errSecParam, "kSecAttrAccessible and kSecAttrAccessControl contradict each other")
    }
    if purpose == .add || purpose == .newValues { attributes[.accessible] = .string(accessControl.protection) }
  }
}

// MARK: Values

/// Returns a Boolean. Numbers are rejected, as by Apple.
private func boolean(_ value: PropertyValue, _ name: String) throws(SecurityError) -> Bool {
  guard let flag = value.boolean else {
    throw SecurityError(errSecParam, "\(name.sanitizedForTerminal()) is not a Boolean")
  }
  return flag
}

private func text(_ value: PropertyValue, _ name: String) throws(SecurityError) -> String {
  guard let text = value.text else { throw wrongType(name) }
  return text
}

private func wrongType(_ name: String) -> SecurityError {
  SecurityError(errSecParam, "the value of \(name.sanitizedForTerminal()) has the wrong type")
}

/// A value of a Keychain call's dictionary, by type.
enum PropertyValue {
  case boolean(Bool)
  /// A number; nil if it is not an integer of 64 bits.
  case number(Int64?)
  case text(String)
  case data(Data)
  case date(Date)
  case null
  case other(Any)

  /// The dates, in seconds since 2001, whose microseconds fit 64 bits. Does not contain NaN.
  private static let seconds = -9e12...9e12

  init(_ value: Any) {
    self =
      switch value {
      // Match classes, not Swift types: bridging an object to a Swift type is slow, and most values are objects.
      case let text as NSString: .text(String(text))
      // A Boolean is a number with a type of its own.
      case let number as NSNumber:
        number.isBoolean ? .boolean(number.boolValue) : .number(Int64(exactly: number))
      case let data as NSData: .data(Data(referencing: data))
      case let date as NSDate where Self.seconds.contains(date.timeIntervalSinceReferenceDate):
        .date(Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate))
      case is NSNull: .null
      default: .other(value)
      }
  }

  var boolean: Bool? {
    if case .boolean(let flag) = self { flag } else { nil }
  }

  var text: String? {
    if case .text(let text) = self { text } else { nil }
  }
}
