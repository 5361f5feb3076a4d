internal import Coffer
internal import CofferFormat
internal import CofferX509
internal import Foundation

/// The validated dictionary of a Keychain call.
struct ItemRequest {
  /// The purpose of a dictionary, which determines the keys that have an effect.
  enum Purpose {
    /// The item of SecItemAdd.
    case add
    /// The query of SecItemCopyMatching.
    case search
    /// The query of SecItemUpdate or SecItemDelete.
    case selection
    /// The new values of SecItemUpdate.
    case newValues
  }

  let itemClass: RequestedClass
  /// The attributes, except those with a property of their own.
  var attributes = ItemAttributes()
  /// The attributes to remove.
  var cleared: Set<AttributeCode> = []
  var synchronizable: ItemSearch.Synchronizable?
  /// The access group; nil for the default (when adding) or for all groups of the program.
  var group: String?
  var accessControl: SecAccessControl?
  /// True if it has an attribute for unsupported storage, in which no item is ever found.
  var usesUnsupportedStorage = false
  var returns: ReturnTypes = []
  /// The maximum number of items; nil for all.
  var limit: Int? = 1
  var matches = MatchConditions()
  var value: [UInt8]?
  var reference: ItemReference?
  var authentication = AuthenticationOptions()

  /// Creates an empty request.
  init(_ itemClass: RequestedClass) { self.itemClass = itemClass }

  /// True if the dictionary contains an attribute. `kSecAttrSynchronizableAny` restricts nothing, and is none.
  var hasAttributes: Bool {
    if case .only = synchronizable { return true }
    return !attributes.values.isEmpty || !cleared.isEmpty || group != nil || accessControl != nil
      || usesUnsupportedStorage
  }

  /// Returns the search for items of one of the vault's classes, with some of the request's attributes.
  func search(_ itemClass: ItemClass, _ attributes: ItemAttributes) -> ItemSearch {
    var search = ItemSearch(
      itemClass, attributes: attributes, synchronizable: synchronizable ?? .only(false), group: group)
    search.conditions = matches.conditions(of: itemClass)
    switch reference {
    case .persistent(let requested, let identifier):
      // A persistent reference is unique, so the synchronizable flag does not matter. An identity has its
      // certificate's.
      if synchronizable == nil { search.synchronizable = .any }
      let isOfClass = requested == .items(itemClass) || requested == .identities && itemClass == .certificate
      if isOfClass { search.reference = identifier }
    case let object?:
      var identifying = object.identifyingAttributes
      if case .identity(let identity) = object, itemClass == .key {
        identifying = ItemReference.key(identity.privateKey).identifyingAttributes
      }
      // Other attributes restrict the search further: one that contradicts the object matches nothing.
      let isContradictory = identifying.values.contains { code, own in
        attributes[code].map { $0.matchBytes != own.matchBytes } ?? false
      }
      if isContradictory { search.conditions.append { _ in false } }
      search.attributes.merge(identifying)
      if synchronizable == nil { search.synchronizable = .any }
    case nil: break
    }
    return search
  }
}

/// The kinds of results that a call requests: the keys `kSecReturn…`.
struct ReturnTypes: OptionSet, Sendable {
  let rawValue: UInt8

  static let data = ReturnTypes(rawValue: 1)
  static let attributes = ReturnTypes(rawValue: 2)
  static let reference = ReturnTypes(rawValue: 4)
  static let persistentReference = ReturnTypes(rawValue: 8)

  /// True if the value of the item is needed.
  var needValues: Bool { !isDisjoint(with: [.data, .reference]) }

  /// True if exactly one kind is requested.
  var isSingle: Bool { rawValue.nonzeroBitCount == 1 }
}

/// The search conditions other than attributes: the keys `kSecMatch…`.
struct MatchConditions {
  var subjects: [SubjectCondition] = []
  var options: String.CompareOptions = []
  var emailAddress: String?
  var date: Date?
  var host: String?
  /// The names of issuers, normalised.
  var issuers: Set<[UInt8]>?
  var items: [ItemReference]?

  /// Returns the conditions for items of a class, except ``issuers``, which requires the other certificates.
  func conditions(of itemClass: ItemClass) -> [@Sendable (ItemAttributes) -> Bool] {
    var conditions: [@Sendable (ItemAttributes) -> Bool] = []
    if itemClass == .certificate {
      for subject in subjects {
        let options = options
        conditions.append { attributes in
          attributes.lines(of: .subjectTexts).contains { subject.isSatisfied(by: $0, options) }
        }
      }
      if let emailAddress {
        // "IfPresent": a certificate without addresses matches.
        conditions.append { attributes in
          let addresses = attributes.lines(of: .emailAddresses)
          return addresses.isEmpty || addresses.contains { $0.caseInsensitiveCompare(emailAddress) == .orderedSame }
        }
      }
      if let date {
        let time = Timestamp(date)
        conditions.append { attributes in
          guard let from = attributes.date(.notBefore), let to = attributes.date(.notAfter) else { return false }
          return from <= time && time <= to
        }
      }
    }
    if let host { conditions.append { ($0[.server]?.text).map { Self.isHost($0, orSubdomainOf: host) } ?? false } }
    if let items { conditions.append { attributes in items.contains { $0.matches(attributes, of: itemClass) } } }
    return conditions
  }

  /// Compares host names, ignoring case. The dot prevents that `example.com` counts as a subdomain of `ample.com`.
  private static func isHost(_ server: String, orSubdomainOf host: String) -> Bool {
    let (server, host) = (server.lowercased(), host.lowercased())
    return server == host || server.hasSuffix("." + host)
  }
}

extension ItemAttributes {
  fileprivate func lines(of code: AttributeCode) -> [String] {
    (self[code]?.text ?? "").split(separator: "\n").map(String.init)
  }
}

/// A condition on the subject of a certificate: one of the keys `kSecMatchSubject…`.
struct SubjectCondition: Sendable {
  /// The part of the subject that the text is compared with.
  enum Place: Sendable {
    case anywhere, start, end, whole
  }

  let text: String
  let place: Place

  /// Returns whether a subject satisfies the condition.
  func isSatisfied(by subject: String, _ options: String.CompareOptions) -> Bool {
    switch place {
    case .anywhere: subject.range(of: text, options: options) != nil
    case .start: subject.range(of: text, options: options.union(.anchored)) != nil
    case .end: subject.range(of: text, options: options.union([.anchored, .backwards])) != nil
    case .whole: subject.compare(text, options: options) == .orderedSame
    }
  }
}

extension ItemRequest {
  private static let maximumListCount = 10_000

  /// Returns the names of `kSecMatchIssuers`, normalised. Throws `errSecParam`.
  static func issuers(_ value: PropertyValue) throws(SecurityError) -> Set<[UInt8]> {
    var names: Set<[UInt8]> = []
    for element in try list(value, "kSecMatchIssuers") {
      guard let data = element as? Data, let name = try? DistinguishedName(der: [UInt8](data)) else {
        throw SecurityError(errSecParam, "kSecMatchIssuers contains an element that is not a name in DER")
      }
      names.insert(name.normalizedContent)
    }
    return names
  }

  /// Returns the items of `kSecMatchItemList`: objects or persistent references. Throws `errSecParam`.
  static func items(_ value: PropertyValue) throws(SecurityError) -> [ItemReference] {
    var items: [ItemReference] = []
    for element in try list(value, "kSecMatchItemList") {
      guard let item = (element as? Data).map({ ItemReference(persistent: $0) }) ?? ItemReference(element) else {
        throw SecurityError(
          errSecParam, "kSecMatchItemList contains an element that is not an item or a persistent reference")
      }
      items.append(item)
    }
    return items
  }

  private static func list(_ value: PropertyValue, _ name: String) throws(SecurityError) -> [Any] {
    guard case .other(let object) = value, let list = object as? NSArray, list.count <= maximumListCount else {
      throw SecurityError(errSecParam, "\(name) is not an array of at most \(maximumListCount) elements")
    }
    return (0..<list.count).map { list.object(at: $0) }
  }
}
