internal import Coffer
public import Foundation

/// Adds an item.
///
/// - Parameters:
///   - attributes: `kSecClass`, the item's attributes, and `kSecValueData` or `kSecValueRef`. Without `kSecAttrAccessGroup` it goes to
///     the first group of the program's entitlements; without `kSecAttrAccessible` it is readable while unlocked.
///   - result: Where to leave what the keys `kSecReturn…` ask for; nil where nothing is wanted.
/// - Returns: `errSecSuccess`, once the item is on disk. Nothing has changed otherwise: `errSecDuplicateItem` where there is an item with
///   the same primary key; `errSecParam`, `errSecNoSuchAttr` and `errSecNoSuchClass` for dictionaries that make no sense;
///   `errSecMissingEntitlement` for a group that is not the program's; `errSecInteractionNotAllowed`, `errSecUserCanceled` and
///   `errSecAuthFailed` where somebody has to be asked; others of the disk. ``SecCopyLastErrorExplanation()`` says more.
@discardableResult
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
  unsafe perform(result) {
    let request = try ItemRequest(attributes, for: .add)
    return try Keychain.shared.add(request)
  }
}

/// Finds items and hands out what the keys `kSecReturn…` ask for.
///
/// - Parameters:
///   - query: The class, attributes that must be equal, conditions `kSecMatch…`, and what to return. Only items that are not
///     marked as synchronizable are found unless `kSecAttrSynchronizable` says otherwise; in all of the program's groups unless
///     `kSecAttrAccessGroup` names one.
///   - result: Where to leave it: one value where the limit is one, which it is by default; else an array, in no particular order.
///     A value is data for `kSecReturnData` and `kSecReturnPersistentRef`, an object for `kSecReturnRef`, and a dictionary for
///     attributes or for several of them.
/// - Returns: `errSecSuccess`; `errSecItemNotFound`; `errSecDecode` where what was found is damaged; and as ``SecItemAdd(_:_:)``.
@discardableResult
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
  unsafe perform(result) {
    let request = try ItemRequest(query, for: .search)
    return try Keychain.shared.copy(request)
  }
}

/// Changes every item that a query finds, all or none.
///
/// - Parameters:
///   - query: The class and attributes, as in ``SecItemCopyMatching(_:_:)``. Keys `kSecMatch…` and `kSecReturn…` and data are ignored, as
///     on macOS.
///   - attributesToUpdate: The new attributes and value; `NSNull` takes an attribute away, `kSecAttrAccessGroup` moves the items.
/// - Returns: `errSecSuccess`, once it is on disk; `errSecItemNotFound`; `errSecDuplicateItem` where two items would have the same primary
///   key; `errSecNoSuchAttr` for a new class; and as ``SecItemAdd(_:_:)``.
@discardableResult
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
  perform(nil) {
    let request = try ItemRequest(query, for: .selection)
    let changes = try ItemRequest(attributesToUpdate, for: .newValues, of: request.itemClass)
    try Keychain.shared.update(request, by: changes)
    return nil
  }
}

/// Deletes every item that a query finds, all or none.
///
/// - Parameter query: The class and attributes, as in ``SecItemUpdate(_:_:)``.
/// - Returns: `errSecSuccess`, once it is on disk; `errSecItemNotFound`; and as ``SecItemAdd(_:_:)``.
@discardableResult
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
  perform(nil) {
    let request = try ItemRequest(query, for: .selection)
    try Keychain.shared.delete(request)
    return nil
  }
}

/// Makes a call: hands out its result, or its status and explanation.
private func perform(_ result: UnsafeMutablePointer<CFTypeRef?>?, _ body: () throws -> NSObject?) -> OSStatus {
  do {
    let object = try body()
    unsafe result?.pointee = object
    return errSecSuccess
  } catch {
    let failure = error as? SecurityError ?? SecurityError(VaultError(translating: error))
    failure.explain()
    return failure.status
  }
}
