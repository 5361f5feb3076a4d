package import Coffer
internal import CofferCertificates
internal import CofferCrypto
internal import CofferFormat
internal import CofferPlatform
internal import CofferSystem
package import CofferVault
package import CofferX509

extension InspectedVault {
  /// Adds an item, or replaces the value and the given attributes of the one with the same names. Its other attributes
  /// stay. `texts` are those of attributes by their codes, as ``ItemAttributeRow/fieldText``, and `names` the values of
  /// ``ItemKind/nameWords``, of any length. Throws `invalidArgument` for a text that the attribute cannot have, and for
  /// a value that is no certificate; and for an existing item the errors of ``edit(_:_:value:)``.
  package func set(
    _ kind: ItemKind, names: [String] = [], _ texts: [String: String], oneTimePassword: OneTimePassword? = nil,
    value: [UInt8],
    in group: String?
  ) throws(VaultError) {
    var draft = ItemDraft(itemClass: kind.itemClass, attributes: ItemAttributes(), value: [])
    try Self.apply(texts, to: &draft)
    for (code, name) in zip(kind.nameCodes, names) { draft.attributes[code] = .string(name) }
    draft.attributes[.oneTimePassword] = oneTimePassword.map { .string($0.uri) }
    let changes = texts.filter { !kind.nameFields.contains($0.key) }
    switch kind {
    case .genericPassword:
      let item = GenericPassword(_fields: _ItemFields(draft.attributes))
      try set(item, changes, oneTimePassword, draft, value, in: group)
    case .internetPassword:
      let item = InternetPassword(_fields: _ItemFields(draft.attributes))
      try set(item, changes, oneTimePassword, draft, value, in: group)
    case .certificate:
      let certificate = try Self.certificate(value, label: draft.attributes[.label]?.text)
      try vault.set(certificate.der ?? Data(), for: certificate, in: group)
    case .key, .identity:
      throw VaultError(
        .invalidArgument, "an item of this class cannot be stored like this",
        recoverySuggestion: "choose a password or a certificate")
    }
  }

  /// Adds a password, or replaces the value of the stored one. Attributes of a stored one change as an edit changes
  /// them.
  private func set<Item: PasswordItem>(
    _ item: Item, _ changes: [String: String], _ oneTimePassword: OneTimePassword?, _ draft: ItemDraft,
    _ value: [UInt8], in group: String?
  ) throws(VaultError) {
    let destination: String? = if let group { group } else { try vault.defaultAccessGroup }
    if !changes.isEmpty || oneTimePassword != nil, let destination {
      let query = ItemQuery<Item>(in: destination).naming(item)
      if let found = try vault.list(query).items.first, let reference = ItemReference(found.reference) {
        let key = ItemSearch.primaryKey(of: found.item)
        let revision = try details(of: reference, in: found.accessGroup, matching: key).revision
        try edit(revision, changes, bytes: value, oneTimePassword: oneTimePassword)
        return
      }
      try checkAccessibility(of: draft, replacing: nil)
    }
    try vault.set(value, for: item, in: group)
  }

  /// Returns the only certificate in PEM or DER.
  private static func certificate(_ value: [UInt8], label: String?) throws(VaultError) -> KeychainCertificate {
    guard isPEM(value), let text = String(validating: value, as: UTF8.self) else {
      return try KeychainCertificate(der: Data(value), label: label)
    }
    let certificates = try? X509Certificate.certificates(pem: text.replacing("\r\n", with: "\n"))
    guard let certificates, certificates.count == 1 else {
      throw VaultError(
        .invalidArgument, "the value is not one certificate in PEM",
        recoverySuggestion: "give one certificate for each item")
    }
    return try KeychainCertificate(der: Data(certificates[0].der), label: label)
  }

  /// Adds the certificates of a file, in PEM or one in DER, all or none, as for the text of a form.
  package func importCertificates(_ bytes: [UInt8], in group: String) throws(VaultError) -> [ItemReference] {
    let text = Self.isPEM(bytes) ? String(validating: bytes, as: UTF8.self) : nil
    guard let text else { return try importCertificates(Self.pem(ofCertificate: bytes), in: group) }
    return try importCertificates(text, in: group)
  }

  /// Returns a certificate in PEM. Throws `invalidArgument` for bytes that are none.
  package static func pem(ofCertificate der: [UInt8]) throws(VaultError) -> String {
    try parse { () throws(CertificateError) in try X509Certificate(der: der).pem }
  }

  /// Calls `body`, which parses certificates. Throws `invalidArgument` for what is no certificate.
  package static func parse<Result>(_ body: () throws(CertificateError) -> Result) throws(VaultError) -> Result {
    do throws(CertificateError) {
      return try body()
    } catch {
      throw VaultError(
        .invalidArgument, error.description,
        recoverySuggestion: "choose a file that contains only certificates in PEM or one in DER")
    }
  }

  /// Whether a file is text with a document in PEM, before which there may be other text.
  private static func isPEM(_ bytes: [UInt8]) -> Bool { bytes.hasText("-----BEGIN ") }
}

/// Private keys, and what is imported together with them.
extension InspectedVault {
  /// What an import has done with an item.
  package struct Imported: Sendable {
    package let reference: ItemReference
    package let title: String
    /// False if the group had the item before.
    package let isNew: Bool
  }

  /// Adds a private key. The group is a full name. Throws `duplicateItem` if the group has the key with the same tag.
  package func addKey(
    _ key: ExternalKey, label: String, tag: String, in group: String
  ) throws(VaultError) -> ItemReference {
    var draft = NewKey.draft(key, label: label, tag: tag)
    defer { draft.value.wipe() }
    return try add(draft, in: group)
  }

  /// Adds certificates in DER and private keys with their names, all or none. Those that the group has are left as they
  /// are. A key without a name gets that of its certificate. With `isDryRun`, nothing is added. The group is a full
  /// name. Throws `invalidArgument` for bytes that are no certificate, and `duplicateItem` if the group has another
  /// certificate of the same issuer and number.
  package func importIdentities(
    certificates: [(der: [UInt8], name: String?)], keys: [(key: ExternalKey, name: String?)], in group: String,
    isDryRun: Bool = false
  ) throws(VaultError) -> [Imported] {
    var labels: [[UInt8]: String] = [:]
    var drafts: [ItemDraft] = []
    defer { for position in drafts.indices { drafts[position].value.wipe() } }
    for (der, name) in certificates {
      let certificate = try KeychainCertificate(der: Data(der), label: name)
      labels[Array(certificate.publicKeyHash)] = certificate.label
      drafts.append(ItemDraft(itemClass: .certificate, attributes: certificate._fields.attributes, value: der))
    }
    for (key, name) in keys {
      drafts.append(NewKey.draft(key, label: name ?? labels[key.publicKeyHash] ?? "", tag: ""))
    }
    return try translatingErrors {
      var imported: [Imported] = []
      do {
        try vault.transaction {
          imported = try drafts.map { try addOrFind($0, in: group) }
          if isDryRun { throw DryRun() }
        }
      } catch is DryRun {}
      return imported
    }
  }

  /// Ends a transaction of which nothing is to stay.
  private struct DryRun: Error {}

  private func addOrFind(_ draft: ItemDraft, in group: String) throws(VaultError) -> Imported {
    let title = ItemNames(draft.attributes, of: draft.itemClass).title
    do throws(VaultError) {
      return Imported(reference: try add(draft, in: group), title: title, isNew: true)
    } catch {
      guard error.code == .duplicateItem else { throw error }
      let codes: [AttributeCode] = draft.itemClass == .key ? [.applicationLabel, .keyClass] : [.issuer, .serialNumber]
      var names = ItemAttributes()
      for code in codes { names[code] = draft.attributes[code] }
      let found = try vault.find(
        ItemSearch(draft.itemClass, attributes: names, group: group), withValues: true, comparing: true,
        damaged: { _ in })
      guard let same = found.first(where: { $0.value == draft.value }) else { throw error }
      return Imported(
        reference: ItemReference(same), title: ItemNames(same.attributes, of: same.itemClass).title, isNew: false)
    }
  }

  /// Returns the certificates in DER that can be the issuers of one, by their names, in the groups that can be read.
  package func possibleIssuers(of certificate: KeychainCertificate) throws(VaultError) -> [[UInt8]] {
    var issuers: [[UInt8]] = []
    var names: Set<[UInt8]> = []
    var wanted = [Array(certificate.issuer)]
    while let name = wanted.popLast(), names.count < Self.maximumIssuerCount {
      guard !name.isEmpty, names.insert(name).inserted else { continue }
      let search = ItemSearch(.certificate, attributes: ItemAttributes([.subject: .data(name)]), limit: 16)
      // Certificates are no secrets.
      for item in try vault.find(search, withValues: true, comparing: true, damaged: { _ in })
      where ValueGuard(item.attributes).isOpen {
        guard let der = item.value else { continue }
        issuers.append(der)
        if let issuer = item.attributes[.issuer]?.matchBytes { wanted.append(issuer) }
      }
    }
    return issuers
  }

  private static let maximumIssuerCount = 10
}
