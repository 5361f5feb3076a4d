package import Coffer
package import CofferCrypto
package import CofferFormat
internal import CofferOneTimeCodes
package import CofferPlatform
internal import CofferSystem
package import CofferVault

/// Everything about one item except its value.
package struct ItemDetails: Sendable {
  package let row: ItemRow
  /// What a change must name, so that it is refused if another one was made in the meantime.
  package let revision: ItemRevision
  /// The attributes that are set, in the fixed order of the class.
  package let attributes: [ItemAttributeRow]
  /// The attributes that can be changed, also those that are not set.
  package let fields: [ItemAttributeRow]
  /// When the current version was written, by the clock of the machine that wrote it.
  package let written: Date
  /// The number of versions that this machine keeps, including the current one.
  package let versionCount: Int
  /// Whether the item's group can be written, so that the item can be changed.
  package let isWritable: Bool
  /// Whether the item stays on this machine.
  package let isDeviceLocal: Bool
  /// What is required before the value is shown.
  package let valueGuard: ValueGuard
  /// The concurrent versions of an item in conflict, the current one first; empty for any other.
  package let conflict: [ItemVersionRow]
  /// The fields of a certificate; nil for other items.
  package let certificate: CertificateDetails?
  /// What belongs to a key; nil for other items.
  package let key: KeyDetails?
  /// Errors of damaged versions.
  package let damaged: [VaultError]
  /// The attributes by which a desktop program finds the item, sorted by name; empty for other items.
  package let programAttributes: [(name: String, value: String)]

  /// Whether the item has the seed of one-time codes.
  package var hasCodes: Bool { attributes.contains { $0.code == AttributeCode.oneTimePassword.name } }
}

extension InspectedVault {
  /// Calls its argument, which tries a passphrase and throws `authenticationFailed` if it is wrong.
  package typealias PassphraseAttempt = (() throws(VaultError) -> Void) throws(VaultError) -> Void

  /// Returns everything about an item except its value. A writer can store one reference in several groups: `group` is
  /// a full name; nil for the first that has the item. Two items of a group have one reference if one machine has
  /// renamed an item and another one has changed it at the same time: `attributes`, such as the primary key, tell them
  /// apart.
  package func details(
    of reference: ItemReference, in group: String? = nil, matching attributes: ItemAttributes = ItemAttributes()
  ) throws(VaultError) -> ItemDetails {
    let search = ItemSearch(
      reference.kind.itemClass, attributes: attributes, group: group, reference: reference.identifier)
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
      damaged: found.history.damaged,
      programAttributes: (item.attributes[.generic].flatMap { SecretServiceRecord(bytes: $0.matchBytes) }?.attributes
        ?? [:]).sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) })
  }

  /// Returns the one-time code of an item as it was seen, for how many seconds it is valid, and its seed. Throws
  /// `locked` for an item whose value needs a further secret, and `itemNotFound` for one without codes.
  package func code(
    of revision: ItemRevision
  ) throws(VaultError) -> (text: String, seconds: Int, seed: OneTimePassword) {
    guard let head = revision.heads.first, let stored = try vault.storedVersion(head, of: revision.address),
      let uri = stored.attributes[.oneTimePassword]?.text
    else {
      throw VaultError(
        .itemNotFound, "the item has no one-time codes", recoverySuggestion: "edit it, and add the seed of its codes")
    }
    try checkPresence(for: stored, of: revision, nil) { (body) throws(VaultError) in try body() }
    let seed = try OneTimePassword(uri: uri)
    let code = seed.code()
    return (code.text, code.secondsLeft(), seed)
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

extension ItemDetails {
  /// Returns an attribute as text: a date as ISO 8601 in UTC, everything else in the words of `coffer show`. The name
  /// is that of `coffer show` in lower case, with hyphens for spaces, or Keychain's code. Throws `invalidArgument` for
  /// an attribute that the item has not.
  package func attribute(named name: String) throws(VaultError) -> String {
    guard let row = attributes.first(where: { $0.argument == name || $0.code == name }) else {
      throw VaultError(
        .invalidArgument, "the item has no attribute \(name)",
        recoverySuggestion: "choose one of: \(attributes.map(\.argument).joined(separator: ", "))")
    }
    return row.date?.formatted(.iso8601) ?? row.text
  }
}

extension ItemAttributeRow {
  /// The name as a word of a command line.
  package var argument: String {
    name.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: "-")
  }
}

extension ItemDetails {
  /// Returns the command line that does something with this item, as the app or, if it is nil, as the owner. The
  /// command takes the service and the account of a generic password, such as `get`. Nil for an item of another class,
  /// and for names that cannot be typed.
  package func command(_ command: String, app: String?) -> String? {
    guard row.kind == .genericPassword else { return nil }
    let names = [row.names.service ?? "", row.names.account ?? ""]
    let isTyped = names.allSatisfy { $0.unicodeScalars.allSatisfy(\.isSafeForTerminal) }
    return isTyped ? NextCommand.line(command, names, app: app, group: row.group) : nil
  }
}
