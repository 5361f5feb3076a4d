package import Coffer
internal import CofferCertificates
internal import CofferFormat
internal import CofferPlatform
package import CofferVault
internal import CofferX509

extension InspectedVault {
  /// Adds an item, or replaces the value and the given attributes of the one with the same names. Its other attributes
  /// stay. `texts` are those of attributes by their codes, as ``ItemAttributeRow/fieldText``, and `names` the values of
  /// ``ItemKind/nameWords``, of any length. Throws `invalidArgument` for a text that the attribute cannot have, and for a value
  /// that is no certificate; and for an existing item the errors of ``edit(_:_:value:)``.
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

  /// Adds a password, or replaces the value of the stored one. Attributes of a stored one change as an edit changes them.
  private func set<Item: PasswordItem>(
    _ item: Item, _ changes: [String: String], _ oneTimePassword: OneTimePassword?, _ draft: ItemDraft,
    _ value: [UInt8], in group: String?
  ) throws(VaultError) {
    let destination: String? = if let group { group } else { try vault.defaultAccessGroup }
    if !changes.isEmpty || oneTimePassword != nil, let destination {
      let query = ItemQuery<Item>(in: destination).naming(item)
      if let found = try vault.list(query).items.first, let reference = ItemReference(found.reference) {
        let revision = try details(of: reference, in: found.accessGroup).revision
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
    do throws(CertificateError) {
      return try X509Certificate(der: der).pem
    } catch {
      throw VaultError(
        .invalidArgument, error.description,
        recoverySuggestion: "choose a file that contains only certificates in PEM or one in DER")
    }
  }

  /// Whether a file is text with a document in PEM, before which there may be other text.
  private static func isPEM(_ bytes: [UInt8]) -> Bool { bytes.firstRange(of: Array("-----BEGIN ".utf8)) != nil }
}
