package import Coffer
package import CofferCrypto
internal import CofferFormat
package import CofferVault

extension InspectedVault {
  /// Calls its argument, which tries a passphrase and throws `authenticationFailed` if it is wrong.
  package typealias PassphraseAttempt = (() throws(VaultError) -> Void) throws(VaultError) -> Void

  /// Returns everything about an item except its value. A writer can store one reference in several groups: `group` is
  /// a full name; nil for the first that has the item.
  package func details(of reference: ItemReference, in group: String? = nil) throws(VaultError) -> ItemDetails {
    let search = ItemSearch(reference.kind.itemClass, group: group, reference: reference.identifier)
    guard let found = try vault.details(search) else { throw Self.notFound }
    return try details(found, as: reference.kind == .identity ? .identity : nil)
  }

  static let notFound = VaultError(
    .itemNotFound, "this item does not exist, or no longer exists",
    recoverySuggestion: "look for it in the list of items, or in the history")

  private func details(_ found: FoundDetails, as kind: ItemKind?) throws(VaultError) -> ItemDetails {
    let item = found.item
    let versions = ItemVersionRow.rows(found.history.versions)
    return ItemDetails(
      row: ItemRow(item, as: kind), revision: found.revision,
      attributes: ItemAttributeRow.rows(item.attributes, of: item.itemClass),
      fields: ItemAttributeRow.allRows(item.attributes, of: item.itemClass, isEditable: found.isWritable)
        .filter { $0.field != nil },
      written: versions.first { $0.isCurrent }?.written ?? ItemRow(item).modified,
      versionCount: max(1, versions.count), isWritable: found.isWritable,
      isDeviceLocal: versions.first { $0.isCurrent }?.isDeviceLocal ?? false,
      valueGuard: ValueGuard(item.attributes),
      conflict: versions.filter(\.isInConflict).sorted { $0.isCurrent && !$1.isCurrent },
      certificate: item.itemClass == .certificate ? try certificateDetails(of: item) : nil,
      key: item.itemClass == .key ? try keyDetails(of: item) : nil,
      damaged: found.history.damaged)
  }

  /// Returns the value of an item as it was seen, or of one of its versions.
  ///
  /// The passphrase is for an item that requires the presence of the user, and the password for one that an application
  /// password protects. `attempt` calls its argument, which tries the passphrase: it can count wrong ones, and refuse
  /// to try any. Bytes of an intermediate form are wiped. Throws `locked` if a secret is required that is missing,
  /// `authenticationFailed` if it is wrong, and `itemNotFound` if the version is no longer kept or deleted the item.
  package func value(
    of revision: ItemRevision, version: ItemVersionRow? = nil, passphrase: SecretText? = nil,
    password: SecretText? = nil, attempt: PassphraseAttempt = { (body) throws(VaultError) in try body() }
  ) throws(VaultError) -> ItemValue {
    guard let head = revision.heads.first,
      var stored = try vault.storedVersion(version?.hash ?? head, of: revision.address)
    else {
      throw VaultError(
        .itemNotFound, "this version deleted the item, so it has no value", recoverySuggestion: "choose an earlier one")
    }
    defer { stored.value?.wipe() }
    try checkPresence(for: stored, of: revision, passphrase, attempt)
    return try value(of: stored, password: password)
  }
}
