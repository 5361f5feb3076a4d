internal import Coffer
internal import CofferFormat
internal import Foundation

extension Keychain {
  /// Finds the items that a request matches and returns the requested result.
  func copy(_ request: ItemRequest) throws -> NSObject? {
    guard !request.usesUnsupportedStorage, request.limit != 0 else { throw Self.notFound }
    let authentication = CallAuthentication(request.authentication, vault)
    let representations = try authentication.run {
      switch request.itemClass {
      case .items(let itemClass): try itemRepresentations(itemClass, request, authentication)
      case .identities: try identityRepresentations(request, authentication)
      }
    }
    guard !request.returns.isEmpty else { return nil }
    guard request.limit != 1 else { return representations.first ?? nil }
    // Call the bridge explicitly: in a program that links Foundation statically it is linked only if it is used, and
    // without it callers cannot cast the result to a Swift array.
    return representations.compactMap(\.self)._bridgeToObjectiveC()
  }

  /// Returns the search for the items of a class that a request matches, with some of its attributes and all of its
  /// conditions.
  func search(_ itemClass: ItemClass, _ request: ItemRequest, _ attributes: ItemAttributes) throws -> ItemSearch {
    var search = request.search(itemClass, attributes)
    if itemClass == .certificate, let issuers = request.matches.issuers {
      search.conditions.append(try issuerCondition(issuers))
    }
    return search
  }

  /// Returns the representation of each item found, at least one; nil for an item without the requested one.
  private func itemRepresentations(
    _ itemClass: ItemClass, _ request: ItemRequest, _ authentication: CallAuthentication
  ) throws -> [NSObject?] {
    var search = try search(itemClass, request, request.attributes)
    if request.returns.needValues { addSkipCondition(to: &search, request, authentication) }
    // Without a result to return, one match is enough.
    search.limit = request.returns.isEmpty ? 1 : request.limit
    do {
      return try representations(search, request, authentication)
    } catch let error as SecurityError where error.status == errSecDecode && search.limit != nil {
      // The damaged items must not use up the limit if others are intact.
      search.limit = nil
      return try representations(search, request, authentication, atMost: request.limit)
    }
  }

  private func representations(
    _ search: ItemSearch, _ request: ItemRequest, _ authentication: CallAuthentication, atMost limit: Int? = nil
  ) throws -> [NSObject?] {
    let opensValues = request.returns.needValues
    let found = try find(search, withValues: opensValues)
    // Authenticate the owner before trying passwords: each trial is a slow key derivation.
    if opensValues, limit == nil {
      for item in found { try authentication.requirePresence(for: try? item.accessControl()) }
    }
    return try Self.skippingDamaged(found, atMost: limit) { item in
      let value = try openedValue(of: item, authentication)
      let result = ItemResult(request.itemClass, item.attributes, value: value, group: item.group)
      if request.returns.contains(.reference), result.lacksObject {
        throw SecurityError(errSecDecode, "the value of the item is not of class \(request.itemClass.name)")
      }
      return try result.representation(for: request.returns)
    }
  }

  /// Transforms at most `limit` elements, except those for which `transform` throws `errSecDecode`. Returns at least
  /// one result: throws `errSecDecode` if every element is damaged, and `errSecItemNotFound` if there are none.
  static func skippingDamaged<Found, Result>(
    _ found: [Found], atMost limit: Int? = nil, _ transform: (Found) throws -> Result
  ) throws -> [Result] {
    var results: [Result] = []
    var damaged = notFound
    for element in found where results.count < limit ?? .max {
      do {
        results.append(try transform(element))
      } catch let error as SecurityError where error.status == errSecDecode {
        damaged = error
      }
    }
    if results.isEmpty { throw damaged }
    return results
  }

  /// Excludes the items that would require a prompt, if the request has `kSecUseAuthenticationUISkip`.
  func addSkipCondition(to search: inout ItemSearch, _ request: ItemRequest, _ authentication: CallAuthentication) {
    guard request.authentication.interaction == .skip else { return }
    let (provesPresence, hasPassword) = authentication.availableProofs
    search.conditions.append { attributes in
      guard let control = try? SecAccessControl(of: attributes) else { return true }
      return (provesPresence || !control.requiresPresence) && (hasPassword || !control.requiresApplicationPassword)
    }
  }

  /// Returns the items that a search finds, except damaged ones. Throws the error of the first damaged item if there
  /// are no others.
  func find(_ search: ItemSearch, withValues: Bool) throws -> [FoundItem] {
    var damaged: VaultError?
    let found = try vault.find(search, withValues: withValues) { damaged = damaged ?? $0 }
    if found.isEmpty, let damaged { throw damaged }
    return found
  }

  /// Returns a condition for certificates with one of the names among the issuers of their chain.
  func issuerCondition(_ issuers: Set<[UInt8]>) throws -> @Sendable (ItemAttributes) -> Bool {
    let issued = try find(ItemSearch(.certificate), withValues: false).compactMap { certificate in
      certificate.attributes[.issuer].map {
        (issuer: $0.matchBytes, subject: certificate.attributes[.subject]?.matchBytes)
      }
    }
    var names = issuers
    var count = 0
    while names.count != count {
      count = names.count
      for (issuer, subject) in issued where names.contains(issuer) {
        if let subject { names.insert(subject) }
      }
    }
    let chained = names
    return { ($0[.issuer]?.matchBytes).map(chained.contains) ?? false }
  }
}
