internal import Coffer
internal import CofferCertificates
internal import CofferFormat
internal import Foundation

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
      return try update(request.search(itemClass, request.attributes), by: changes, authentication)
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
