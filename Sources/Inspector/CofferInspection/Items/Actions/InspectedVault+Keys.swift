package import Coffer
internal import CofferCertificates
internal import CofferCrypto
internal import CofferFormat
internal import CofferPlatform
package import CofferVault
package import CofferX509

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

  /// Adds certificates in DER and private keys with their names, all or none. Those that the group has are left as they are.
  /// A key without a name gets that of its certificate. The group is a full name. Throws `invalidArgument` for bytes that are
  /// no certificate, and `duplicateItem` if the group has another certificate of the same issuer and number.
  package func importIdentities(
    certificates: [(der: [UInt8], name: String?)], keys: [(key: ExternalKey, name: String?)], in group: String
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
      try vault.transaction { try drafts.map { try addOrFind($0, in: group) } }
    }
  }

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
