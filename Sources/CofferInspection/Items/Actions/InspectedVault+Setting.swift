package import Coffer
internal import CofferFormat
internal import CofferPlatform
package import CofferVault
internal import CofferX509

extension InspectedVault {
  /// Adds an item, or replaces the value and the given attributes of the one with the same names. Its other attributes
  /// stay. `texts` are those of attributes by their codes, as ``ItemAttributeRow/fieldText``, and `names` the values of
  /// ``ItemKind/nameWords``, of any length. Throws `invalidArgument` for a text that the attribute cannot have, and for a value
  /// that is no certificate.
  package func set(
    _ kind: ItemKind, names: [String] = [], _ texts: [String: String], oneTimePassword: OneTimePassword? = nil,
    value: [UInt8],
    in group: String?
  ) throws(VaultError) {
    var draft = ItemDraft(itemClass: kind.itemClass, attributes: ItemAttributes(), value: [])
    try Self.apply(texts, to: &draft)
    for (code, name) in zip(kind.nameCodes, names) { draft.attributes[code] = .string(name) }
    draft.attributes[.oneTimePassword] = oneTimePassword.map { .string($0.uri) }
    switch kind {
    case .genericPassword:
      try vault.set(value, for: GenericPassword(_fields: _ItemFields(draft.attributes)), in: group)
    case .internetPassword:
      try vault.set(value, for: InternetPassword(_fields: _ItemFields(draft.attributes)), in: group)
    case .certificate:
      let certificate = try Self.certificate(value, label: draft.attributes[.label]?.text)
      try vault.set(certificate.der ?? Data(), for: certificate, in: group)
    case .key, .identity:
      throw VaultError(
        .invalidArgument, "an item of this class cannot be stored like this",
        recoverySuggestion: "choose a password or a certificate")
    }
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
