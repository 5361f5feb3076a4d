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
    let stored = try authentication.run {
      try vault.transaction { try store(parts, in: request.group, authentication) }
    }
    guard !request.returns.isEmpty else { return nil }
    return try Self.result(
      certificate: stored[1], key: stored[0], value: [UInt8](identity.certificate.data), identity
    ).form(request.returns)
  }

  /// Stores the parts; of one that is there already, what is stored counts.
  private func store(
    _ parts: [NewItem], in group: String?, _ authentication: CallAuthentication
  ) throws -> [(attributes: ItemAttributes, group: String)] {
    var duplicates: [VaultError] = []
    let stored = try parts.map { part in
      do {
        return try store(part, in: group, authentication)
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

  /// Both have a label and dates: what is said of an identity is said of its certificate first.
  private static func result(
    certificate: (attributes: ItemAttributes, group: String), key: (attributes: ItemAttributes, group: String),
    value: [UInt8]?, _ identity: SecIdentity?
  ) -> ItemResult {
    var attributes = certificate.attributes
    attributes.merge(key.attributes)
    return ItemResult(.identities, attributes, value: value, group: certificate.group, identity: identity)
  }

  // MARK: Finding

  /// What is handed out of each identity that is found.
  func identityForms(_ request: ItemRequest, _ authentication: CallAuthentication) throws -> [NSObject?] {
    let opensValues = request.returns.needValues
    let found = try identities(request, withValues: opensValues, authentication)
    let opensKeys = request.returns.contains(.reference)
    if opensValues {
      for join in found {
        try authentication.prove(presenceFor: try? join.certificate.accessControl())
        if opensKeys { try authentication.prove(presenceFor: try? join.key.accessControl()) }
      }
    }
    return try Self.passingDamaged(found) { join in
      let value = try Self.value(of: join.certificate, authentication)
      var identity: SecIdentity?
      if opensKeys {
        let key =
          ItemResult(
            .items(.key), join.key.attributes, value: try Self.value(of: join.key, authentication),
            group: join.key.group
          ).object as? SecKey
        let certificate = try? SecCertificate(Data(value ?? []))
        if let key, let certificate { identity = SecIdentity(certificate: certificate, privateKey: key) }
        guard identity != nil else {
          throw SecurityError(errSecDecode, "certificate and key that were found are no identity")
        }
      }
      return try Self.result(
        certificate: (join.certificate.attributes, join.certificate.group),
        key: (join.key.attributes, join.key.group), value: value, identity
      ).form(request.returns)
    }
  }

  private static func value(of item: FoundItem, _ authentication: CallAuthentication) throws -> [UInt8]? {
    let control = try item.accessControl()
    return try item.value.map { try authentication.open($0, under: control) }
  }

  /// The identities that a request means. An attribute that certificates and keys have is the certificate's where it is the label
  /// and the key's otherwise, as on Apple's systems; group and synchronizable are both's.
  private func identities(
    _ request: ItemRequest, withValues: Bool, _ authentication: CallAuthentication
  ) throws -> [Join] {
    let ofCertificates = ItemClass.certificate.attributes.subtracting(ItemClass.key.attributes).union([.label])
    var search = request.search(.certificate, request.attributes.only(ofCertificates))
    if let issuers = request.matches.issuers { search.conditions.append(try condition(issuers)) }
    if withValues { addSkipping(to: &search, request, authentication) }
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
      if request.returns.contains(.reference) { addSkipping(to: &wanted, request, authentication) }
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
      let found = try writableIdentities(request, authentication)
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
  func deleteIdentities(_ request: ItemRequest, _ authentication: CallAuthentication) throws -> Int {
    try vault.transaction {
      let found = try writableIdentities(request, authentication)
      for join in found {
        _ = try vault.delete(Self.search(join.certificate))
        // Two certificates may be of one key.
        _ = try vault.delete(Self.search(join.key))
      }
      return found.count
    }
  }

  /// Without a group, a change passes over what lies in groups that may only be read.
  private func writableIdentities(_ request: ItemRequest, _ authentication: CallAuthentication) throws -> [Join] {
    var all = request
    all.limit = nil
    let found = try identities(all, withValues: false, authentication)
    guard request.group == nil else { return found }
    let writable = Set(try vault.accessGroups.filter(\.isWritable).map(\.name))
    return found.filter { writable.contains($0.certificate.group) && writable.contains($0.key.group) }
  }

  private static func search(_ found: FoundItem) -> ItemSearch {
    ItemSearch(found.itemClass, group: found.group, reference: found.attributes.identifier)
  }
}
