internal import Coffer
internal import CofferFormat
package import CofferVault
internal import CofferX509

/// The fields of a certificate, and what belongs to it in the vault. Nothing is verified.
package struct CertificateDetails: Sendable {
  /// How a chain of issuers ends.
  package enum ChainEnd: Sendable, Hashable {
    /// At a certificate that names itself as its issuer.
    case selfIssued
    /// At an issuer that is in none of the groups that can be read.
    case missing(issuer: String)
    /// At a certificate that is in the chain already, or after ten.
    case tooLong

    /// The end in words.
    package var text: String {
      switch self {
      case .selfIssued: "ends at a certificate that names itself as its issuer"
      case .missing(let issuer): "the vault has no certificate of the issuer \(issuer)"
      case .tooLong: "the issuers name each other in a circle, or are too many"
      }
    }
  }

  /// The parts of the names: `CN` and its text.
  package let subject: [(type: String, text: String)]
  package let issuer: [(type: String, text: String)]
  /// In pairs of hexadecimal digits.
  package let serialNumber: String
  package let version: Int
  package let validity: Validity
  /// The kind and size of the public key: "RSA, 2048 bits".
  package let key: String
  /// What the key may be used for, in words; empty if the certificate does not say.
  package let usages: [String]
  /// The host names, email addresses and other alternative names of the subject.
  package let alternativeNames: [String]
  /// Whether the certificate may issue others; nil if it does not say.
  package let isAuthority: Bool?
  /// SHA-256 and SHA-1 of the certificate, in pairs of hexadecimal digits.
  package let sha256: String
  package let sha1: String
  /// The certificates of the issuers in the vault, by the names of issuer and subject, beginning with the nearest.
  package let chain: [ItemRow]
  package let chainEnd: ChainEnd
  /// The private key of the certificate's public key, if it can be read.
  package let privateKey: ItemRow?
}

/// What a key is, and what belongs to it in the vault.
package struct KeyDetails: Sendable {
  package let summary: KeySummary
  /// The certificates of the key, at most 16.
  package let certificates: [ItemRow]
  /// The other half of the pair, at most 16 items.
  package let otherKeys: [ItemRow]
}

/// What a key is, as its attributes say.
package struct KeySummary: Sendable {
  /// "private", "public" or "symmetric".
  package let kind: String
  package let algorithm: String
  package let sizeInBits: Int?
  /// What the key may be used for, in words: "sign". Empty if the item does not say.
  package let usages: [String]

  init(_ attributes: ItemAttributes) {
    kind = attributes[.keyClass].map { KeyWords.kind($0) } ?? "unknown"
    algorithm = attributes[.type].map { KeyWords.algorithm($0) } ?? "unknown"
    sizeInBits = attributes[.keySizeInBits]?.number.flatMap { Int(exactly: $0) }
    usages = AttributeDefinition.all(of: .key).compactMap { definition in
      guard definition.name.hasPrefix("May "), let value = attributes[definition.code], !value.isDefault else {
        return nil
      }
      return String(definition.name.dropFirst(4))
    }
  }
}

/// Certificates, keys, and what belongs together.
extension InspectedVault {
  private static let maximumChainLength = 10

  /// Returns a certificate, or only that of an identity, as a file to be given to others: the title of the item, and
  /// the certificate in PEM. The group is a full name; nil for the first that has the item. Throws `locked` if its
  /// value requires another secret, and `integrity` if it is no certificate.
  package func certificateFile(
    of reference: ItemReference, in group: String? = nil
  ) throws(VaultError) -> (title: String, pem: String) {
    let search = ItemSearch(.certificate, group: group, reference: reference.identifier, limit: 1)
    guard reference.kind.itemClass == .certificate, let item = try vault.find(search, withValues: false).first else {
      throw Self.notFound
    }
    guard ValueGuard(item.attributes).isOpen else {
      throw VaultError(
        .locked, "the certificate requires another secret", recoverySuggestion: "export it in the app that stored it")
    }
    guard let certificate = try certificate(of: item) else {
      throw VaultError(
        .integrity, "the value of the item is no certificate",
        recoverySuggestion: "delete the item, and import the certificate again")
    }
    return (ItemRow(item).title, certificate.pem)
  }

  /// Returns the certificate that an item contains; nil if its value is guarded or is none.
  private func certificate(of item: FoundItem) throws(VaultError) -> X509Certificate? {
    guard ValueGuard(item.attributes).isOpen,
      // A certificate is no secret.
      let der = try vault.storedVersion(item.version, of: item.address, keepingValue: true)?.value
    else { return nil }
    return try? X509Certificate(der: der)
  }

  /// Returns the fields of a certificate; nil if its value is guarded or is no certificate.
  func certificateDetails(of item: FoundItem) throws(VaultError) -> CertificateDetails? {
    guard let certificate = try certificate(of: item) else { return nil }
    let (chain, end) = try chain(above: item)
    return CertificateDetails(
      subject: certificate.subjectName.parts, issuer: certificate.issuerName.parts,
      serialNumber: AttributeWords.hexadecimalPairs(certificate.serialNumber), version: certificate.version,
      validity: Validity(from: certificate.notBefore, until: certificate.notAfter),
      key: certificate.keyKind.words,
      usages: certificate.usages, alternativeNames: certificate.alternativeNameTexts,
      isAuthority: certificate.isAuthority, sha256: AttributeWords.hexadecimalPairs(certificate.sha256),
      sha1: AttributeWords.hexadecimalPairs(certificate.sha1), chain: chain, chainEnd: end,
      privateKey: try privateKey(of: item).map { ItemRow($0) })
  }

  /// Follows the issuers of a certificate by their names.
  private func chain(
    above item: FoundItem
  ) throws(VaultError) -> ([ItemRow], CertificateDetails.ChainEnd) {
    var links: [ItemRow] = []
    var current = item
    var subjects: Set<[UInt8]> = []
    while links.count < Self.maximumChainLength {
      let issuer = current.attributes[.issuer]?.matchBytes ?? []
      guard let subject = current.attributes[.subject]?.matchBytes, subject != issuer else {
        return (links, .selfIssued)
      }
      guard subjects.insert(subject).inserted else { return (links, .tooLong) }
      let search = ItemSearch(.certificate, attributes: ItemAttributes([.subject: .data(issuer)]), limit: 16)
      guard let next = try vault.find(search, withValues: false, damaged: { _ in }).first(preferring: current.group)
      else { return (links, .missing(issuer: AttributeWords.distinguishedName(issuer))) }
      links.append(ItemRow(next))
      current = next
    }
    return (links, .tooLong)
  }

  /// Returns the private key that belongs to a certificate; nil if it is in none of the groups that can be read.
  func privateKey(of certificate: FoundItem) throws(VaultError) -> FoundItem? {
    guard let hash = certificate.attributes[.publicKeyHash], !hash.isDefault else { return nil }
    let isPrivate = AttributeValue.number(Int64(KeychainKey.Kind.private.rawValue))
    let search = ItemSearch(
      .key, attributes: ItemAttributes([.applicationLabel: hash, .keyClass: isPrivate]), limit: 16)
    return try vault.find(search, withValues: false, damaged: { _ in }).first(preferring: certificate.group)
  }

  /// Returns what belongs to a key.
  func keyDetails(of item: FoundItem) throws(VaultError) -> KeyDetails {
    func rows(_ itemClass: ItemClass, _ attributes: [AttributeCode: AttributeValue]) throws(VaultError) -> [ItemRow] {
      let search = ItemSearch(itemClass, attributes: ItemAttributes(attributes), limit: 16)
      return try vault.find(search, withValues: false, damaged: { _ in })
        .filter { $0.address != item.address }.map { ItemRow($0) }
    }
    let label = item.attributes[.applicationLabel]
    let hasLabel = label.map { !$0.isDefault } ?? false
    return KeyDetails(
      summary: KeySummary(item.attributes),
      certificates: hasLabel ? try rows(.certificate, [.publicKeyHash: label ?? .data([])]) : [],
      otherKeys: hasLabel ? try rows(.key, [.applicationLabel: label ?? .data([])]) : [])
  }
}

extension KeyKind {
  /// The kind and size in words.
  fileprivate var words: String {
    switch self {
    case .rsa(let bits): "RSA, \(bits) bits"
    case .ec(let curve): "elliptic curve P-\(curve.bits)"
    case .other: "unknown"
    }
  }
}
