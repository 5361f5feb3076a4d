package import Coffer
internal import CofferCertificates
package import CofferCrypto
internal import CofferFormat
internal import CofferPlatform
internal import CofferSystem
package import CofferVault
internal import CofferX509

extension InspectedVault {
  /// The largest size of a text with certificates in PEM, in bytes.
  package static let maximumPEMByteCount = 1 << 20

  /// Returns the fields of the form for a new password: the attributes that people choose, with the defaults that an
  /// item has which an app adds.
  package static func newFields(of kind: ItemKind) -> [ItemAttributeRow] {
    ItemAttributeRow.allRows(newAttributes, of: kind.itemClass, isEditable: true).filter { $0.field != nil }
  }

  private static let newAttributes = ItemAttributes([
    .accessible: .string(ItemAccessibility.whenUnlocked.rawValue)
  ])

  /// Adds a password. `texts` are those of attributes by their codes, as ``ItemAttributeRow/fieldText``; an empty one
  /// is left out. The group is a full name. Throws `invalidArgument` for a text that the attribute cannot have, for an
  /// item without a name, and for an empty value. If it throws, nothing has changed.
  package func addPassword(
    _ kind: ItemKind, _ texts: [String: String], oneTimePassword: OneTimePassword? = nil, value: SecretText,
    in group: String
  ) throws(VaultError) -> ItemReference {
    guard kind == .genericPassword || kind == .internetPassword else {
      throw VaultError(
        .invalidArgument, "an item of this class is not a password",
        recoverySuggestion: "choose a generic or an internet password")
    }
    var draft = ItemDraft(itemClass: kind.itemClass, attributes: Self.newAttributes, value: [])
    try Self.apply(texts, to: &draft)
    guard kind.nameCodes.contains(where: { draft.attributes[$0]?.text?.isEmpty == false }) else {
      throw VaultError(
        .invalidArgument, "\(kind.nameWords.joined(separator: " and ")) are empty",
        recoverySuggestion: "name the item, so that it can be found again")
    }
    guard !value.isEmpty else {
      throw VaultError(.invalidArgument, "the value is empty", recoverySuggestion: "type or generate one")
    }
    draft.attributes[.oneTimePassword] = oneTimePassword.map { .string($0.uri) }
    try checkAccessibility(of: draft, replacing: nil)
    draft.value = unsafe value.withBytes { unsafe Array($0) }
    defer { draft.value.wipe() }
    return try add(draft, in: group)
  }

  /// Adds a new key, from the system's generator. People know it by the label, and apps find it by the tag, which may
  /// be empty. The group is a full name. Throws `invalidArgument` for an empty or overlong label, and an overlong tag.
  package func addKey(
    _ key: NewKey, label: String, tag: String, in group: String
  ) throws(VaultError) -> ItemReference {
    for (name, text) in [("label", label), ("application tag", tag)]
    where text.utf8.count > Self.maximumNameByteCount {
      throw VaultError(
        .invalidArgument, "the \(name) has \(text.utf8.count) bytes",
        recoverySuggestion: "use at most \(Self.maximumNameByteCount) bytes")
    }
    guard !label.isEmpty else {
      throw VaultError(
        .invalidArgument, "the label is empty", recoverySuggestion: "name the key, so that it can be found again")
    }
    var draft = key.draft(label: label, tag: tag)
    defer { draft.value.wipe() }
    return try add(draft, in: group)
  }

  /// Adds the certificates of a text in PEM, one or a chain, all or none. They are not verified. Returns them in the
  /// order of the text. The group is a full name. Throws `invalidArgument` for a text that contains something else, and
  /// `duplicateItem` if the group has one of the certificates.
  package func importCertificates(_ pem: String, in group: String) throws(VaultError) -> [ItemReference] {
    guard pem.utf8.count <= Self.maximumPEMByteCount else {
      throw VaultError(
        .invalidArgument, "the text has more than \(Self.maximumPEMByteCount) bytes",
        recoverySuggestion: "import the certificates in several parts")
    }
    let certificates = try Self.parse { () throws(CertificateError) in
      try X509Certificate.certificates(pem: pem.replacing("\r\n", with: "\n"))
    }
    return try translatingErrors {
      try vault.transaction {
        try certificates.map { certificate in
          let attributes = ItemAttributes(certificate: certificate)
          return try add(ItemDraft(itemClass: .certificate, attributes: attributes, value: certificate.der), in: group)
        }
      }
    }
  }

  /// Adds an item with the value and the attributes of one that was seen, apart from the changes, which are as for
  /// ``edit(_:_:value:)``. The group is a full name, or without the team prefix. Throws `locked` for an item whose
  /// value needs a further secret, `itemChanged` if another version was written since, and `duplicateItem` if the group
  /// has an item with the names. If it throws, nothing has changed.
  package func copy(
    _ revision: ItemRevision, _ changes: [String: String], to group: String
  ) throws(VaultError) -> ItemReference {
    guard let head = revision.heads.first,
      let stored = try vault.storedVersion(head, of: revision.address, keepingValue: true)
    else { throw Self.notFound }
    guard ValueGuard(stored.attributes).isOpen else {
      throw VaultError(
        .locked,
        "the item's value needs \(ValueGuard(stored.attributes).conditions.joined(separator: " and ")) each time",
        recoverySuggestion: "copy it in the app that stored it")
    }
    var draft = ItemDraft(itemClass: stored.itemClass, attributes: stored.attributes, value: stored.value ?? [])
    defer { draft.value.wipe() }
    // The copy is another item, which is created now.
    for code in [AttributeCode.persistentReference, .created, .modified] { draft.attributes[code] = nil }
    try Self.apply(changes, to: &draft)
    try checkAccessibility(of: draft, replacing: nil)
    return try add(draft, in: group)
  }

  func add(_ draft: ItemDraft, in group: String) throws(VaultError) -> ItemReference {
    do throws(VaultError) {
      let stored = try vault.add(draft, in: group)
      guard let reference = ItemReference(draft.itemClass, stored.attributes) else { throw Self.notFound }
      return reference
    } catch {
      guard error.code == .duplicateItem else { throw error }
      let title = ItemNames(draft.attributes, of: draft.itemClass).title
      throw VaultError(
        .duplicateItem, "the group already has the item \(title.sanitizedForTerminal(limit: 60))",
        recoverySuggestion: "choose other names, or edit that item")
    }
  }
}

/// A key that can be generated.
package enum NewKey: String, CaseIterable, Sendable {
  case p256, p384, p521, aes256

  /// The key in words.
  package var name: String {
    switch self {
    case .p256: "Elliptic curve P-256, private key"
    case .p384: "Elliptic curve P-384, private key"
    case .p521: "Elliptic curve P-521, private key"
    case .aes256: "AES, 256 bits"
    }
  }

  /// Generates the key, with the attributes that `SecKeyCreateRandomKey` stores. The caller wipes the value.
  func draft(label: String, tag: String) -> ItemDraft {
    switch self {
    case .p256: Self.draft(ExternalKey(generatingOn: .p256), label: label, tag: tag)
    case .p384: Self.draft(ExternalKey(generatingOn: .p384), label: label, tag: tag)
    case .p521: Self.draft(ExternalKey(generatingOn: .p521), label: label, tag: tag)
    case .aes256: Self.symmetricKey(label, tag)
    }
  }

  /// A private key. The caller wipes the value.
  static func draft(_ privateKey: ExternalKey, label: String, tag: String) -> ItemDraft {
    var key = KeychainKey(
      .private, algorithm: privateKey.kind.algorithm, sizeInBits: privateKey.kind.sizeInBits,
      applicationLabel: Data(privateKey.publicKeyHash), applicationTag: Data(tag.utf8))
    key.usage = [.decrypt, .derive, .sign, .unwrap]
    return draft(key, label, privateKey.externalRepresentation)
  }

  /// A key whose application label is random: nothing can be computed that tells it from others.
  private static func symmetricKey(_ label: String, _ tag: String) -> ItemDraft {
    var key = KeychainKey(
      .symmetric, algorithm: .aes, sizeInBits: 256, applicationLabel: Data(Random.bytes(count: 16)),
      applicationTag: Data(tag.utf8))
    key.usage = [.encrypt, .decrypt, .wrap, .unwrap]
    return draft(key, label, Random.bytes(count: 32))
  }

  private static func draft(_ key: KeychainKey, _ label: String, _ value: [UInt8]) -> ItemDraft {
    var attributes = key._fields.attributes
    attributes[.label] = .string(label)
    for (code, isSet) in flags { attributes[code] = .number(isSet ? 1 : 0) }
    return ItemDraft(itemClass: .key, attributes: attributes, value: value)
  }

  private static let flags: [(AttributeCode, Bool)] = [
    (.isPermanent, true), (.isPrivate, true), (.isModifiable, true), (.isSensitive, false),
    (.wasAlwaysSensitive, false), (.isExtractable, true), (.wasNeverExtractable, false),
    (.canSignRecover, false), (.canVerifyRecover, false),
  ]
}
