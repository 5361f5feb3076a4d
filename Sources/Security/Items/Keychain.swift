internal import Coffer
internal import CofferFormat
internal import Foundation

/// Keychain calls over a vault: what is left once a dictionary has become an ``ItemRequest``.
struct Keychain {
  let vault: Vault

  /// Over the program's vault.
  static var shared: Keychain {
    get throws(SecurityError) {
      do throws(VaultError) {
        return Keychain(vault: try Vault.shared)
      } catch {
        // Where no place can be told for the vault, it is no argument of the call that is wrong.
        guard error.code == .invalidArgument else { throw SecurityError(error) }
        throw SecurityError(errSecNotAvailable, error.description)
      }
    }
  }

  static var notFound: SecurityError {
    SecurityError(errSecItemNotFound, "no item of the caller's groups is like that")
  }

  static var elsewhere: SecurityError {
    SecurityError(
      errSecUnimplemented, "there are no tokens and no views here: kSecAttrTokenID, kSecAttrSyncViewHint")
  }

  // MARK: Adding

  func add(_ request: ItemRequest) throws -> NSObject? {
    guard !request.isElsewhere else { throw Self.elsewhere }
    if case .identity(let identity) = request.reference { return try add(identity, request) }
    guard case .items(let itemClass) = request.itemClass else {
      throw SecurityError(errSecParam, "an identity is added by kSecValueRef")
    }
    let item = try newItem(itemClass, request)
    let authentication = CallAuthentication(request.authentication, vault)
    let stored = try authentication.run { try store(item, in: request.group, authentication) }
    return try ItemResult(request.itemClass, stored.attributes, value: item.value, group: stored.group)
      .form(request.returns)
  }

  /// Adds keys that several dictionaries describe, all or none.
  func add(keys dictionaries: [CFDictionary]) throws(SecurityError) {
    var items: [(item: NewItem, group: String?)] = []
    var options: AuthenticationOptions?
    for dictionary in dictionaries {
      let request = try ItemRequest(dictionary, for: .add)
      items.append((try newItem(.key, request), request.group))
      options = options ?? request.authentication
    }
    let authentication = CallAuthentication(options ?? AuthenticationOptions(), vault)
    try authentication.run {
      try vault.transaction {
        for (item, group) in items { _ = try store(item, in: group, authentication) }
      }
    }
  }

  func store(
    _ item: NewItem, in group: String?, _ authentication: CallAuthentication
  ) throws -> (attributes: ItemAttributes, group: String) {
    if authentication.lacksNewPassword(for: item.control) {
      // Nobody is to think of a password for what cannot be added.
      try vault.checkAddable(item.itemClass, item.attributes, in: group)
    }
    let value = try authentication.seal(item.value, under: item.control)
    return try vault.add(ItemDraft(itemClass: item.itemClass, attributes: item.attributes, value: value), in: group)
  }

  /// An item as a call gives it, before it is sealed.
  struct NewItem {
    let itemClass: ItemClass
    var attributes: ItemAttributes
    let value: [UInt8]
    let control: SecAccessControl?
  }

  /// What a call adds as an item of a class. What the value itself says stands behind what the caller says.
  func newItem(_ itemClass: ItemClass, _ request: ItemRequest) throws(SecurityError) -> NewItem {
    var attributes = request.attributes
    var value = request.value ?? []
    switch request.reference {
    case .key(let key):
      let own = ItemAttributes(key: key)
      for code in [AttributeCode.keyClass, .type] where attributes[code].map({ $0 != own[code] }) ?? false {
        throw SecurityError(errSecParam, "kSecAttrKeyClass or kSecAttrKeyType is not that of the key")
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

  /// Refuses a protection that contradicts itself or, where it is new, that this machine cannot give.
  func checkProtection(
    _ attributes: ItemAttributes, _ control: SecAccessControl?, isNew: Bool
  ) throws(SecurityError) {
    let accessible = Accessibility(attributes)
    if attributes.isSynchronizable, accessible?.isThisDeviceOnly == true || control?.flags.isEmpty == false {
      throw SecurityError(
        errSecParam, "an item that is synchronizable can neither be of this device only nor have an access control")
    }
    guard isNew, accessible == .whenPasscodeSetThisDeviceOnly || control?.requiresPresence == true else { return }
    guard vault.ownerPassphrase != nil else {
      throw SecurityError(
        errSecAuthFailed,
        "the item asks for a passphrase of this machine's owner, and there is none; make the vault without --no-passphrase"
      )
    }
  }

  // MARK: Deleting

  func delete(_ request: ItemRequest) throws {
    guard !request.isElsewhere else { throw Self.notFound }
    let authentication = CallAuthentication(request.authentication, vault)
    let count = try authentication.run {
      guard case .items(let itemClass) = request.itemClass else { return try deleteIdentities(request, authentication) }
      return try vault.delete(request.search(itemClass, request.attributes))
    }
    if count == 0 { throw Self.notFound }
  }
}
