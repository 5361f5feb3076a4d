internal import Coffer
internal import CofferFormat
internal import Foundation

/// Identities are not stored: each is the join of a private key and the certificate with the same hash of the public
/// key.
extension Keychain {
  /// A certificate and its private key.
  private struct FoundIdentity {
    let certificate: FoundItem
    let key: FoundItem
  }

  // MARK: Adding

  /// Adds the certificate and the key of an identity, or neither if one fails. One of the two may already exist.
  /// Returns the persistent reference if it is requested.
  func add(_ identity: SecIdentity, _ request: ItemRequest) throws -> NSObject? {
    let authentication = CallAuthentication(request.authentication, vault)
    var parts: [NewItem] = []
    for reference in [ItemReference.key(identity.privateKey), .certificate(identity.certificate)] {
      guard case .items(let itemClass) = reference.itemClass else { continue }
      var part = request
      part.reference = reference
      part.attributes = request.attributes.only(itemClass.attributes)
      // A certificate is public, so the access control applies to the key only.
      if itemClass == .certificate { part.accessControl = nil }
      parts.append(try makeNewItem(itemClass, part))
    }
    let stored = try authentication.run {
      try vault.transaction { try add(parts, in: request.group, authentication) }
    }
    return try ItemResult(.identities, stored[1].attributes, value: nil, group: stored[1].group)
      .representation(for: request.returns)
  }

  /// Adds the parts. Returns the stored attributes of a part that already exists.
  private func add(
    _ parts: [NewItem], in group: String?, _ authentication: CallAuthentication
  ) throws -> [(attributes: ItemAttributes, group: String)] {
    var duplicates: [VaultError] = []
    let stored = try parts.map { part in
      do {
        return try add(part, in: group, authentication)
      } catch let error as VaultError where error.code == .duplicateItem {
        duplicates.append(error)
        let names = part.attributes.only(Set(part.itemClass.primaryKey)).completingPrimaryKey(of: part.itemClass)
        let search = ItemSearch(
          part.itemClass, attributes: names, synchronizable: .only(part.attributes.isSynchronizable), group: group)
        guard let existing = try vault.find(search, withValues: false).first else { throw error }
        return (existing.attributes, existing.group)
      }
    }
    if duplicates.count == parts.count, let error = duplicates.first { throw error }
    return stored
  }

  // MARK: Finding

  /// Returns the representation of each identity that a request matches, at least one.
  func identityRepresentations(_ request: ItemRequest, _ authentication: CallAuthentication) throws -> [NSObject?] {
    let opensValues = request.returns.needValues
    let found = try identities(request, withValues: opensValues, authentication)
    let opensKeys = request.returns.contains(.reference)
    if opensValues {
      for identity in found {
        try authentication.requirePresence(for: try? identity.certificate.accessControl())
        if opensKeys { try authentication.requirePresence(for: try? identity.key.accessControl()) }
      }
    }
    return try Self.skippingDamaged(found) { parts in
      let value = try openedValue(of: parts.certificate, authentication)
      var identity: SecIdentity?
      if opensKeys {
        let key =
          ItemResult(
            .items(.key), parts.key.attributes, value: try openedValue(of: parts.key, authentication),
            group: parts.key.group
          ).object as? SecKey
        let certificate = try? SecCertificate(Data(value ?? []))
        if let key, let certificate { identity = SecIdentity(certificate: certificate, privateKey: key) }
        guard identity != nil else {
          throw SecurityError(errSecDecode, "the certificate and the key do not form an identity")
        }
      }
      // Of the attributes that both have, such as label and dates, the result has those of the certificate.
      var attributes = parts.certificate.attributes
      attributes.merge(parts.key.attributes)
      return try ItemResult(
        .identities, attributes, value: value, group: parts.certificate.group, identity: identity
      ).representation(for: request.returns)
    }
  }

  func openedValue(of item: FoundItem, _ authentication: CallAuthentication) throws -> [UInt8]? {
    let control = try item.accessControl()
    return try item.value.map { try authentication.open($0, of: protectedItem(item), under: control) }
  }

  /// Returns the identities that a request matches.
  ///
  /// Of the attributes that certificates and keys share, the label is compared with the certificate's and the others
  /// with the key's, as on Apple's systems. Access group and `kSecAttrSynchronizable` are compared with both.
  private func identities(
    _ request: ItemRequest, withValues: Bool, _ authentication: CallAuthentication
  ) throws -> [FoundIdentity] {
    let ofCertificates = ItemClass.certificate.attributes.subtracting(ItemClass.key.attributes).union([.label])
    var search = try search(.certificate, request, request.attributes.only(ofCertificates))
    if withValues { addSkipCondition(to: &search, request, authentication) }
    let keyAttributes = request.attributes.only(ItemClass.key.attributes.subtracting([.label]))
    var identities: [FoundIdentity] = []
    for certificate in try find(search, withValues: withValues) {
      guard identities.count < request.limit ?? .max else { break }
      guard let hash = certificate.attributes[.publicKeyHash] else { continue }
      var wanted = request.search(.key, keyAttributes)
      // The conditions apply to the certificate only. The public key hash and the key class join the key to it.
      wanted.conditions = []
      let isExcluded = [AttributeCode.applicationLabel: hash, .keyClass: .number(1)].contains { code, value in
        wanted.attributes[code].map { $0.matchBytes != value.matchBytes } ?? false
      }
      if isExcluded { continue }
      wanted.attributes[.applicationLabel] = hash
      wanted.attributes[.keyClass] = .number(1)
      if request.returns.contains(.reference) { addSkipCondition(to: &wanted, request, authentication) }
      wanted.limit = nil
      let keys = try find(wanted, withValues: withValues)
      guard let key = keys.first(preferring: certificate.group) else { continue }
      identities.append(FoundIdentity(certificate: certificate, key: key))
    }
    return identities
  }

  // MARK: Changing

  /// Updates the certificate and the key of each identity, each with the attributes that its class has. Returns the
  /// number of identities.
  func updateIdentities(
    _ request: ItemRequest, by changes: ItemRequest, _ authentication: CallAuthentication
  ) throws -> Int {
    guard changes.value == nil else { throw SecurityError(errSecParam, "the value of an identity cannot be updated") }
    return try vault.transaction {
      let found = try writableIdentities(request, authentication)
      for identity in found {
        var ofCertificate = changes
        ofCertificate.accessControl = nil
        _ = try update(Self.search(for: identity.certificate), by: ofCertificate, authentication)
        _ = try update(Self.search(for: identity.key), by: changes, authentication)
      }
      return found.count
    }
  }

  /// Deletes the certificate and the key of each identity. Returns the number of identities.
  func deleteIdentities(_ request: ItemRequest, _ authentication: CallAuthentication) throws -> Int {
    try vault.transaction {
      let found = try writableIdentities(request, authentication)
      for identity in found {
        _ = try vault.delete(Self.search(for: identity.certificate))
        // The key may already be deleted: two certificates can share a key.
        _ = try vault.delete(Self.search(for: identity.key))
      }
      return found.count
    }
  }

  /// Returns the identities that a request matches; without an access group, only those in writable groups.
  private func writableIdentities(
    _ request: ItemRequest, _ authentication: CallAuthentication
  ) throws -> [FoundIdentity] {
    var all = request
    all.limit = nil
    let found = try identities(all, withValues: false, authentication)
    guard request.group == nil else { return found }
    let writable = Set(try vault.accessGroups.filter(\.isWritable).map(\.name))
    return found.filter { writable.contains($0.certificate.group) && writable.contains($0.key.group) }
  }

  private static func search(for found: FoundItem) -> ItemSearch {
    ItemSearch(found.itemClass, group: found.group, reference: found.attributes.identifier)
  }
}
