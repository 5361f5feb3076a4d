package import CofferFormat
public import CofferPlatform
internal import CofferVault

/// A certificate: Keychain's class `kSecClassCertificate`. Its value is the certificate in DER.
///
/// The primary key within an access group is type, issuer and serial number, which are read from the certificate, and
/// ``KeychainItem/isSynchronizable``. Certificates are not verified.
public struct KeychainCertificate: KeychainItem {
  /// The class as Keychain's four characters.
  public static let _classCode = "cert"
  /// The storage of the properties.
  public var _fields: _ItemFields
  /// The certificate in DER. Nil for an item from a list, which has no values: ``Vault/value(for:in:)`` returns it
  /// then.
  public private(set) var der: Data?

  /// Creates an item from stored attributes.
  public init(_fields: _ItemFields) { self._fields = _fields }

  /// Creates an item from the attributes of a certificate and its DER. The product `CofferCertificates` reads them.
  package init(_ attributes: ItemAttributes, der: Data) {
    _fields = _ItemFields(attributes)
    self.der = der
  }

  /// The version of X.509: 1, 2 or 3.
  public var type: Int { _fields[ItemAttribute<Self, Int>.certificateType] ?? 0 }

  /// The issuer's name, normalised.
  public var issuer: Data { _fields[ItemAttribute<Self, Data>.issuer] ?? Data() }

  /// The subject's name, normalised.
  public var subject: Data { _fields[ItemAttribute<Self, Data>.subject] ?? Data() }

  /// The serial number's bytes.
  public var serialNumber: Data { _fields[ItemAttribute<Self, Data>.serialNumber] ?? Data() }

  /// SHA-1 of the public key: the ``KeychainKey/applicationLabel`` of the private key that belongs to the certificate.
  public var publicKeyHash: Data { _fields[ItemAttribute<Self, Data>.publicKeyHash] ?? Data() }

  /// The extension "subject key identifier"; nil if the certificate has none.
  public var subjectKeyIdentifier: Data? { _fields[ItemAttribute<Self, Data>.subjectKeyIdentifier] }

  /// The start of the certificate's validity.
  public var notBefore: Date? { _fields.attributes.date(.notBefore)?.date }

  /// The end of the certificate's validity.
  public var notAfter: Date? { _fields.attributes.date(.notAfter)?.date }
}

extension ItemAttribute where Item == KeychainCertificate, Value == Int {
  /// The version of X.509; `kSecAttrCertificateType`.
  public static var certificateType: Self { Self(number: .certificateType) }
}

extension ItemAttribute where Item == KeychainCertificate, Value == Data {
  /// The issuer's name, normalised; `kSecAttrIssuer`.
  public static var issuer: Self { Self(data: .issuer) }
  /// The subject's name, normalised; `kSecAttrSubject`.
  public static var subject: Self { Self(data: .subject) }
  /// The serial number's bytes; `kSecAttrSerialNumber`.
  public static var serialNumber: Self { Self(data: .serialNumber) }
  /// SHA-1 of the public key; `kSecAttrPublicKeyHash`.
  public static var publicKeyHash: Self { Self(data: .publicKeyHash) }
  /// The extension "subject key identifier"; `kSecAttrSubjectKeyID`.
  public static var subjectKeyIdentifier: Self { Self(data: .subjectKeyID) }
}

extension ItemQuery where Item == KeychainCertificate {
  /// Restricts the query to certificates that have a text in their subject that matches: `kSecMatchSubjectContains`,
  /// `kSecMatchSubjectStartsWith`, `kSecMatchSubjectEndsWith`, `kSecMatchSubjectWholeString`.
  ///
  /// - Parameters:
  ///   - text: The text to compare with.
  ///   - comparison: How to compare.
  /// - Returns: The restricted query.
  public func subject(_ text: String, _ comparison: Comparison = .contains) -> Self {
    let matches = comparison.condition(text)
    return condition { attributes in
      (attributes[.subjectTexts]?.text ?? "").split(separator: "\n").contains { matches(String($0)) }
    }
  }

  /// Restricts the query to certificates that are valid at a time: `kSecMatchValidOnDate`.
  public func valid(on date: Date) -> Self {
    let time = Timestamp(date)
    return condition { attributes in
      guard let from = attributes.date(.notBefore), let to = attributes.date(.notAfter) else { return false }
      return from <= time && time <= to
    }
  }

  /// Restricts the query to certificates with an email address, ignoring case: `kSecMatchEmailAddressIfPresent`, except
  /// that certificates without an address are not found.
  public func emailAddress(_ address: String) -> Self {
    let matches = Comparison.insensitive.condition(address)
    return condition { attributes in
      (attributes[.emailAddresses]?.text ?? "").split(separator: "\n").contains { matches(String($0)) }
    }
  }
}

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
    var identities: [KeychainIdentity] = []
    for certificate in try list(search) {
      guard identities.count < limit else { break }
      guard let hash = certificate.attributes[.publicKeyHash] else { continue }
      let keys = ItemSearch(
        .key,
        attributes: ItemAttributes([
          .applicationLabel: hash, .keyClass: .number(Int64(KeychainKey.Kind.private.rawValue)),
        ]))
      guard let key = try list(keys).first(preferring: certificate.group) else { continue }
      identities.append(KeychainIdentity(certificate: StoredItem(certificate), key: StoredItem(key)))
    }
    return identities
  }

  /// Deletes an identity's certificate and private key, both or neither.
  ///
  /// - Parameter identity: An identity from ``identities(_:)``.
  /// - Returns: False if neither exists any more.
  /// - Throws: ``VaultError``: `notEntitled`, `locked`, and the errors of writing. Nothing has changed then.
  @discardableResult
  public func delete(_ identity: KeychainIdentity) throws(VaultError) -> Bool {
    let searches = [
      ItemQuery<KeychainCertificate>(in: identity.certificate.accessGroup).reference(identity.certificate.reference)
        .search,
      ItemQuery<KeychainKey>(in: identity.key.accessGroup).reference(identity.key.reference).search,
    ]
    do {
      if let broker {
        return try delete(through: broker) { try searches.flatMap { try list($0, in: .writable) } } > 0
      }
      return try transaction { try searches.reduce(0) { try $0 + delete($1) } > 0 }
    } catch {
      throw VaultError(translating: error)
    }
  }
}
