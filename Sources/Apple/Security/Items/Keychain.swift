internal import Coffer
internal import CofferCertificates
internal import CofferFormat
internal import Foundation

/// The Keychain calls, for parsed dictionaries (``ItemRequest``), on a vault.
struct Keychain {
  let vault: Vault

  /// The keychain on the program's vault. Throws `errSecNotAvailable` if no vault can be opened.
  static var shared: Keychain {
    get throws(SecurityError) {
      do throws(VaultError) {
        return Keychain(vault: try Vault.default)
      } catch {
        // The error is about the vault's location, not about an argument of the Keychain call.
        guard error.code == .invalidArgument else { throw SecurityError(error) }
        throw SecurityError(errSecNotAvailable, error.description)
      }
    }
  }

  static var notFound: SecurityError {
    SecurityError(errSecItemNotFound, "no item in the access groups of the program matches")
  }

  static var unsupportedStorage: SecurityError {
    SecurityError(errSecUnimplemented, "kSecAttrTokenID and kSecAttrSyncViewHint are not supported")
  }

  // MARK: Adding

  func add(_ request: ItemRequest) throws -> NSObject? {
    guard !request.usesUnsupportedStorage else { throw Self.unsupportedStorage }
    if case .identity(let identity) = request.reference { return try add(identity, request) }
    guard case .items(let itemClass) = request.itemClass else {
      throw SecurityError(errSecParam, "an identity can be added only with kSecValueRef")
    }
    let item = try makeNewItem(itemClass, request)
    let authentication = CallAuthentication(request.authentication, vault)
    let stored = try authentication.run { try add(item, in: request.group, authentication) }
    return try ItemResult(request.itemClass, stored.attributes, value: item.value, group: stored.group)
      .representation(for: request.returns)
  }

  /// Adds the keys that the dictionaries describe, or none if one of them fails.
  func add(keys dictionaries: [CFDictionary]) throws(SecurityError) {
    var items: [(item: NewItem, group: String?)] = []
    var options: AuthenticationOptions?
    for dictionary in dictionaries {
      let request = try ItemRequest(dictionary, for: .add)
      guard !request.usesUnsupportedStorage else { throw Self.unsupportedStorage }
      items.append((try makeNewItem(.key, request), request.group))
      options = options ?? request.authentication
    }
    let authentication = CallAuthentication(options ?? AuthenticationOptions(), vault)
    try authentication.run {
      // One key alone also where transactions are not available.
      if items.count == 1 { return _ = try add(items[0].item, in: items[0].group, authentication) }
      try vault.transaction {
        for (item, group) in items { _ = try add(item, in: group, authentication) }
      }
    }
  }

  /// Seals the value of an item and adds it. Returns the attributes and the access group as stored.
  func add(
    _ item: NewItem, in group: String?, _ authentication: CallAuthentication
  ) throws -> (attributes: ItemAttributes, group: String) {
    if authentication.needsPromptForNewPassword(for: item.control) {
      // Check for duplicates before prompting.
      try vault.checkAddable(item.itemClass, item.attributes, in: group)
    }
    var attributes = item.attributes
    if item.control?.requiresApplicationPassword == true { attributes.addPersistentReference() }
    let value = try authentication.seal(
      item.value, of: ProtectedItem(vault: vault.id, itemClass: item.itemClass, attributes: attributes),
      under: item.control)
    return try vault.add(ItemDraft(itemClass: item.itemClass, attributes: attributes, value: value), in: group)
  }

  /// Returns the item that a request describes. Attributes of the request take precedence over those of its value.
  func makeNewItem(_ itemClass: ItemClass, _ request: ItemRequest) throws(SecurityError) -> NewItem {
    var attributes = request.attributes
    var value = request.value ?? []
    switch request.reference {
    case .key(let key):
      let own = ItemAttributes(key: key)
      for code in [AttributeCode.keyClass, .type] where attributes[code].map({ $0 != own[code] }) ?? false {
        throw SecurityError(errSecParam, "kSecAttrKeyClass or kSecAttrKeyType does not match the key")
      }
      attributes.merge(own)
      value = [UInt8](key.externalRepresentation)
    case .certificate(let certificate):
      attributes.merge(ItemAttributes(certificate: certificate.fields))
      value = [UInt8](certificate.data)
    default:
      if itemClass == .certificate, let certificate = try? SecCertificate(Data(value)) {
        attributes.merge(ItemAttributes(certificate: certificate.fields))
      }
    }
    if case .only(true) = request.synchronizable { attributes[.synchronizable] = .number(1) }
    if let control = request.accessControl, !control.flags.isEmpty {
      attributes[.accessControl] = .data(control.serialized)
    }
    try checkProtection(attributes, request.accessControl, isNew: true)
    return NewItem(itemClass: itemClass, attributes: attributes, value: value, control: request.accessControl)
  }

  /// Verifies that the protection of an item is consistent and, if it is new, that this machine can provide it. Throws
  /// `errSecParam` for a synchronizable item with an access control, and `errSecAuthFailed` if a new protection
  /// requires a passphrase and the owner has none.
  ///
  /// A synchronizable item may have an accessibility `…ThisDeviceOnly`, as in Apple's implementation, although the
  /// documentation forbids it: the item stays on this machine.
  func checkProtection(
    _ attributes: ItemAttributes, _ control: SecAccessControl?, isNew: Bool
  ) throws(SecurityError) {
    if attributes.isSynchronizable, control?.flags.isEmpty == false {
      throw SecurityError(errSecParam, "a synchronizable item cannot have an access control with conditions")
    }
    let requiresPasscode = ItemAccessibility(attributes) == .whenPasscodeSetThisDeviceOnly
    guard isNew, requiresPasscode || control?.requiresPresence == true else { return }
    guard vault.ownerPassphrase != nil else {
      throw SecurityError(
        errSecAuthFailed,
        "the item requires the owner's passphrase, and this machine has none; create the vault without --no-passphrase"
      )
    }
  }

  // MARK: Deleting

  /// Deletes the items that a request matches.
  func delete(_ request: ItemRequest) throws {
    guard !request.usesUnsupportedStorage else { throw Self.notFound }
    let authentication = CallAuthentication(request.authentication, vault)
    let count = try authentication.run {
      guard case .items(let itemClass) = request.itemClass else { return try deleteIdentities(request, authentication) }
      return try vault.delete(search(itemClass, request, request.attributes))
    }
    if count == 0 { throw Self.notFound }
  }
}

/// An item to add, before its value is sealed under an application password.
struct NewItem {
  let itemClass: ItemClass
  var attributes: ItemAttributes
  let value: [UInt8]
  let control: SecAccessControl?
}

extension Keychain {
  /// Updates the items that a request matches.
  func update(_ request: ItemRequest, by changes: ItemRequest) throws {
    guard !request.usesUnsupportedStorage else { throw Self.notFound }
    guard !changes.usesUnsupportedStorage else { throw Self.unsupportedStorage }
    let authentication = CallAuthentication(request.authentication, vault)
    let count = try authentication.run {
      guard case .items(let itemClass) = request.itemClass else {
        return try updateIdentities(request, by: changes, authentication)
      }
      return try update(search(itemClass, request, request.attributes), by: changes, authentication)
    }
    if count == 0 { throw Self.notFound }
  }

  /// Updates the items that a search finds, and returns their number.
  func update(_ search: ItemSearch, by changes: ItemRequest, _ authentication: CallAuthentication) throws -> Int {
    // A value that is replaced need not be read, unless it is protected by an application password.
    guard changes.value != nil else { return try update(search, by: changes, withValues: true, authentication) }
    do {
      return try update(search, by: changes, withValues: false, authentication)
    } catch is ValueNeeded {
      return try update(search, by: changes, withValues: true, authentication)
    }
  }

  /// Thrown if an item can be updated only with its present value.
  private struct ValueNeeded: Error {}

  private func update(
    _ search: ItemSearch, by changes: ItemRequest, withValues: Bool, _ authentication: CallAuthentication
  ) throws -> Int {
    try vault.update(search, withValues: withValues, movingTo: changes.group) { found, draft in
      let old = try found.accessControl()
      try authentication.requirePresence(for: old)
      draft.attributes = Self.attributes(draft.attributes, of: found.itemClass, changed: changes)
      let control = try SecAccessControl(of: draft.attributes)
      try checkProtection(draft.attributes, control, isNew: changes.attributes[.accessible] != nil)

      let wasSealed = old?.requiresApplicationPassword == true
      let isSealed = control?.requiresApplicationPassword == true
      guard changes.value != nil || wasSealed != isSealed else { return }
      guard withValues || !wasSealed else { throw ValueNeeded() }
      let stored = draft.value
      // Removing the password or replacing the value requires the present password.
      let earlier = wasSealed ? try authentication.open(stored, of: protectedItem(found), under: old) : stored
      if isSealed { draft.attributes.addPersistentReference() }
      draft.value = try authentication.seal(
        changes.value ?? earlier,
        of: ProtectedItem(vault: vault.id, itemClass: found.itemClass, attributes: draft.attributes), under: control,
        replacing: wasSealed ? stored : nil)
    }
  }

  /// Returns what a protected value of an item must be sealed for.
  func protectedItem(_ item: FoundItem) -> ProtectedItem? {
    ProtectedItem(vault: vault.id, itemClass: item.itemClass, attributes: item.attributes)
  }

  private static func attributes(
    _ old: ItemAttributes, of itemClass: ItemClass, changed changes: ItemRequest
  ) -> ItemAttributes {
    var attributes = old
    for (code, value) in changes.attributes.values where itemClass.attributes.contains(code) {
      // The keychain sets the dates itself.
      if code != .created, code != .modified { attributes[code] = value }
    }
    for code in changes.cleared { attributes[code] = nil }
    if case .only(let flag) = changes.synchronizable { attributes[.synchronizable] = flag ? .number(1) : nil }
    if changes.attributes[.accessible] != nil {
      // kSecAttrAccessible and kSecAttrAccessControl both replace the complete protection.
      attributes[.accessControl] = changes.accessControl.flatMap { $0.flags.isEmpty ? nil : .data($0.serialized) }
    }
    if itemClass == .certificate, let value = changes.value {
      let certificate = (try? SecCertificate(Data(value))).map { ItemAttributes(certificate: $0.fields) }
      for code in [AttributeCode.notBefore, .notAfter, .subjectTexts, .emailAddresses] {
        attributes[code] = certificate?[code]
      }
    }
    return attributes
  }
}
