internal import Coffer
internal import CofferFormat
internal import Foundation

/// Identities are stored nowhere: each is the join of a private key and the certificate of its public key, which know each other by the
/// hash of that.
extension Keychain {
  /// A certificate with its private key.
  private struct Join {
    let certificate: FoundItem
    let key: FoundItem
  }

  // MARK: Adding

  /// Adds certificate and key, both or neither; one of the two may be there already.
  func add(_ identity: SecIdentity, _ request: ItemRequest) throws -> NSObject? {
    let authentication = CallAuthentication(request.authentication, vault)
    var parts: [NewItem] = []
    for reference in [ItemReference.key(identity.privateKey), .certificate(identity.certificate)] {
      guard case .items(let itemClass) = reference.itemClass else { continue }
      var part = request
      part.reference = reference
      part.attributes = request.attributes.only(itemClass.attributes)
      // A certificate is public: the conditions are on the key.
      if itemClass == .certificate { part.accessControl = nil }
      parts.append(try newItem(itemClass, part))
    }
    try authentication.run {
      try vault.transaction {
        var duplicates: [VaultError] = []
        for part in parts {
          do {
            _ = try store(part, in: request.group, authentication)
          } catch let error as VaultError {
            guard error.code == .duplicateItem else { throw error }
            duplicates.append(error)
          }
        }
        if duplicates.count == parts.count, let error = duplicates.first { throw error }
      }
    }
    guard !request.returns.isEmpty else { return nil }
    var search = ItemRequest(.identities)
    search.reference = request.reference
    search.synchronizable = request.synchronizable
    search.group = request.group
    search.returns = request.returns
    search.authentication = request.authentication
    return try copy(search)
  }

  // MARK: Finding

  func identityResults(_ request: ItemRequest, _ authentication: CallAuthentication) throws -> [ItemResult] {
    let opensValues = !request.returns.isDisjoint(with: .values)
    return try identities(request, withValues: opensValues, authentication).map { join in
      var identity: SecIdentity?
      if request.returns.contains(.reference), let value = join.key.value {
        let key =
          ItemResult(
            .items(.key), join.key.attributes, value: try authentication.open(value, under: join.key.accessControl()),
            group: join.key.group
          ).object as? SecKey
        let certificate = try? SecCertificate(Data(join.certificate.value ?? []))
        if let key, let certificate { identity = SecIdentity(certificate: certificate, privateKey: key) }
      }
      // Both have a label and dates: what is said of an identity is said of its certificate first.
      var attributes = join.certificate.attributes
      attributes.merge(join.key.attributes)
      return ItemResult(
        .identities, attributes, value: join.certificate.value, group: join.certificate.group, identity: identity)
    }
  }

  /// The identities that a request means. An attribute that certificates and keys have is the certificate's where it is the label
  /// and the key's otherwise, as on Apple's systems; group and synchronizable are both's.
  private func identities(
    _ request: ItemRequest, withValues: Bool, _ authentication: CallAuthentication
  ) throws -> [Join] {
    let ofCertificates = ItemClass.certificate.attributes.subtracting(ItemClass.key.attributes).union([.label])
    var search = request.search(.certificate, request.attributes.only(ofCertificates))
    if let issuers = request.matches.issuers { search.conditions.append(try condition(issuers)) }
    let keyAttributes = request.attributes.only(ItemClass.key.attributes.subtracting([.label]))
    var joins: [Join] = []
    for certificate in try find(search, withValues: withValues) {
      guard joins.count < request.limit ?? .max else { break }
      guard let hash = certificate.attributes[.publicKeyHash] else { continue }
      var wanted = request.search(.key, keyAttributes)
      // The conditions were the certificate's; these two make the join.
      wanted.conditions = []
      let isOtherKey = [AttributeCode.applicationLabel: hash, .keyClass: .number(1)].contains { code, value in
        wanted.attributes[code].map { $0.matchBytes != value.matchBytes } ?? false
      }
      if isOtherKey { continue }
      wanted.attributes[.applicationLabel] = hash
      wanted.attributes[.keyClass] = .number(1)
      if withValues { addSkipping(to: &wanted, request, authentication) }
      wanted.limit = 1
      guard let key = try find(wanted, withValues: withValues).first else { continue }
      joins.append(Join(certificate: certificate, key: key))
    }
    return joins
  }

  // MARK: Changing

  /// Applies to each of the two what it has: a label to both, a tag to the key.
  func updateIdentities(
    _ request: ItemRequest, by changes: ItemRequest, _ authentication: CallAuthentication
  ) throws -> Int {
    guard changes.value == nil else { throw SecurityError(errSecParam, "an identity has no value of its own") }
    return try vault.transaction {
      let found = try identities(request, withoutLimit: authentication)
      for join in found {
        var ofCertificate = changes
        ofCertificate.accessControl = nil
        _ = try update(Self.search(join.certificate), by: ofCertificate, authentication)
        _ = try update(Self.search(join.key), by: changes, authentication)
      }
      return found.count
    }
  }

  /// Deletes certificates and keys.
  func deleteIdentities(_ request: ItemRequest) throws -> Int {
    let authentication = CallAuthentication(request.authentication, vault)
    return try vault.transaction {
      let found = try identities(request, withoutLimit: authentication)
      for join in found {
        _ = try vault.delete(Self.search(join.certificate))
        // Two certificates may be of one key.
        _ = try vault.delete(Self.search(join.key))
      }
      return found.count
    }
  }

  private func identities(_ request: ItemRequest, withoutLimit authentication: CallAuthentication) throws -> [Join] {
    var all = request
    all.limit = nil
    return try identities(all, withValues: false, authentication)
  }

  private static func search(_ found: FoundItem) -> ItemSearch {
    ItemSearch(found.itemClass, group: found.group, reference: found.identifier)
  }
}

extension ItemAttributes {
  fileprivate func only(_ codes: Set<AttributeCode>) -> ItemAttributes {
    ItemAttributes(values.filter { codes.contains($0.key) })
  }
}
