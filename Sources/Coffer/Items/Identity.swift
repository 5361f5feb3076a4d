internal import CofferFormat
internal import CofferX509
public import Foundation

/// A private key and the certificate of its public key: Keychain's `kSecClassIdentity`, the join of two items.
public struct Identity: Hashable, Sendable {
  /// The certificate, without its value.
  public let certificate: StoredItem<Certificate>
  /// The private key, without its value.
  public let key: StoredItem<Key>
}

extension Vault {
  /// Adds a certificate where there is none. As ``add(_:for:in:)``, with the certificate's DER for a value.
  ///
  /// - Throws: ``VaultError``: `invalidArgument` for a certificate that came from a list and has no DER; `duplicateItem`.
  @discardableResult
  public func add(_ certificate: Certificate, in accessGroup: String? = nil) throws(VaultError) -> PersistentReference {
    guard let der = certificate.der else {
      throw VaultError(.invalidArgument, "the certificate came without its DER", mend: "make it with Certificate(der:)")
    }
    return try add(der, for: certificate, in: accessGroup)
  }

  /// Adds a certificate and its private key, both or neither.
  ///
  /// - Parameters:
  ///   - privateKey: The key's external representation: PKCS #1, or X9.63 with the private number. That it belongs to the
  ///     certificate is the caller's word.
  ///   - tag: The key's application tag.
  /// - Throws: ``VaultError``: as ``add(_:in:)``; `duplicateItem` where either is there already.
  public func add(
    _ certificate: Certificate, privateKey: some SecretValue, tag: Data = Data(), in accessGroup: String? = nil
  ) throws(VaultError) {
    let x509 = try X509Certificate(
      argument: certificate.der ?? Data(), mend: "make the certificate with Certificate(der:)")
    var key = Key(
      .private, algorithm: x509.keyKind.algorithm, sizeInBits: x509.keyKind.sizeInBits,
      applicationLabel: certificate.publicKeyHash, applicationTag: tag)
    key.label = certificate.label
    do {
      try transaction {
        try add(certificate, in: accessGroup)
        try add(privateKey, for: key, in: accessGroup)
      }
    } catch {
      throw VaultError(translating: error)
    }
  }

  /// The identities whose certificates a query finds: those of which the private key is there too, in a group of the app.
  ///
  /// - Throws: ``VaultError``: `integrity` for a damaged certificate or key among them.
  public func identities(
    _ query: ItemQuery<Certificate> = ItemQuery()
  ) throws(VaultError) -> [Identity] {
    var search = query.search
    let limit = search.limit ?? .max
    search.limit = nil
    return try reading { reader, context in
      var identities: [Identity] = []
      for certificate in try context.all(search, reader, withValues: false) {
        guard identities.count < limit else { break }
        guard let hash = certificate.attributes[.publicKeyHash] else { continue }
        let keys = ItemSearch(
          .key,
          attributes: ItemAttributes([.applicationLabel: hash, .keyClass: .number(Int64(Key.Kind.private.rawValue))]))
        guard let key = try context.all(keys, reader, withValues: false).first else { continue }
        identities.append(Identity(certificate: StoredItem(certificate), key: StoredItem(key)))
      }
      return identities
    }
  }

  /// Deletes an identity's certificate and private key, both or neither.
  ///
  /// - Returns: False where neither was there any more.
  @discardableResult
  public func delete(_ identity: Identity) throws(VaultError) -> Bool {
    do {
      return try transaction {
        let certificates = try delete(
          ItemQuery<Certificate>(in: identity.certificate.group).reference(identity.certificate.reference))
        let keys = try delete(ItemQuery<Key>(in: identity.key.group).reference(identity.key.reference))
        return certificates + keys > 0
      }
    } catch {
      throw VaultError(translating: error)
    }
  }
}

extension KeyKind {
  /// Keychain's number for the algorithm; 0 for one that it has none for.
  var algorithm: Key.Algorithm {
    switch self {
    case .rsa: .rsa
    case .ec: .ellipticCurve
    case .other: Key.Algorithm(rawValue: 0)
    }
  }

  var sizeInBits: Int {
    switch self {
    case .rsa(let bits): bits
    case .ec(let curve): curve.bits
    case .other: 0
    }
  }
}
