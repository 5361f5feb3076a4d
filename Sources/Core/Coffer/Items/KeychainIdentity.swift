internal import CofferFormat
internal import CofferVault

/// A private key and the certificate of its public key: Keychain's `kSecClassIdentity`, the join of two items.
public struct KeychainIdentity: Hashable, Sendable {
  /// The certificate, without its value.
  public let certificate: StoredItem<KeychainCertificate>
  /// The private key, without its value.
  public let key: StoredItem<KeychainKey>
}

extension Vault {
  /// Adds a certificate. The value is its DER.
  ///
  /// - Parameters:
  ///   - certificate: The certificate, from `KeychainCertificate(der:)` of the product `CofferCertificates`.
  ///   - accessGroup: The access group to write to; the app's default group if nil.
  /// - Returns: A reference that identifies the item from now on.
  /// - Throws: ``VaultError``: `invalidArgument` for a certificate from a list, which has no DER; `duplicateItem`; and
  ///   the errors of ``add(_:for:in:)``.
  @discardableResult
  public func add(_ certificate: KeychainCertificate, in accessGroup: String? = nil) throws(VaultError)
    -> PersistentReference
  {
    guard let der = certificate.der else {
      throw VaultError(
        .invalidArgument, "the certificate has no DER", recoverySuggestion: "create it with KeychainCertificate(der:)")
    }
    return try add(der, for: certificate, in: accessGroup)
  }

  /// Returns the identities whose certificates a query finds and whose private keys are in one of the app's groups.
  ///
  /// - Parameter query: The certificates to find; all by default.
  /// - Returns: The identities, without values.
  /// - Throws: ``VaultError``: `notEntitled`; `locked`; `integrity` for a damaged certificate or key among them.
  public func identities(
    _ query: ItemQuery<KeychainCertificate> = ItemQuery()
  ) throws(VaultError) -> [KeychainIdentity] {
    var search = query.search
    let limit = search.limit ?? .max
    search.limit = nil
    return try reading { reader, context in
      var identities: [KeychainIdentity] = []
      for certificate in try context.findAll(search, reader, withValues: false) {
        guard identities.count < limit else { break }
        guard let hash = certificate.attributes[.publicKeyHash] else { continue }
        let keys = ItemSearch(
          .key,
          attributes: ItemAttributes([
            .applicationLabel: hash, .keyClass: .number(Int64(KeychainKey.Kind.private.rawValue)),
          ]))
        let found = try context.findAll(keys, reader, withValues: false)
        guard let key = found.first(preferring: certificate.group) else { continue }
        identities.append(KeychainIdentity(certificate: StoredItem(certificate), key: StoredItem(key)))
      }
      return identities
    }
  }

  /// Deletes an identity's certificate and private key, both or neither.
  ///
  /// - Parameter identity: An identity from ``identities(_:)``.
  /// - Returns: False if neither exists any more.
  /// - Throws: ``VaultError``: `notEntitled`, `locked`, and the errors of writing. Nothing has changed then.
  @discardableResult
  public func delete(_ identity: KeychainIdentity) throws(VaultError) -> Bool {
    do {
      return try transaction {
        let certificates = try delete(
          ItemQuery<KeychainCertificate>(in: identity.certificate.accessGroup).reference(identity.certificate.reference)
        )
        let keys = try delete(ItemQuery<KeychainKey>(in: identity.key.accessGroup).reference(identity.key.reference))
        return certificates + keys > 0
      }
    } catch {
      throw VaultError(translating: error)
    }
  }
}
