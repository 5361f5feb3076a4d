internal import Coffer
public import Foundation

/// Adds an item to the keychain.
///
/// - Parameters:
///   - attributes: `kSecClass`, the attributes of the item, and `kSecValueData` or `kSecValueRef`. Without
///     `kSecAttrAccessGroup`, the item is added to the first access group of the program's entitlements. Without
///     `kSecAttrAccessible`, it is readable while the keychain is unlocked (certificates: always).
///   - result: Set to the result that the keys `kSecReturn…` request; nil if none is needed.
/// - Returns: `errSecSuccess` after the item was written to disk. If the call fails, nothing has changed:
///   `errSecDuplicateItem` if an item with the same primary key exists; `errSecParam`, `errSecNoSuchAttr` or
///   `errSecNoSuchClass` for an invalid dictionary; `errSecMissingEntitlement` for an access group that the program
///   does not have; `errSecInteractionNotAllowed`, `errSecUserCanceled` or `errSecAuthFailed` if a required
///   authentication fails; other errors from the file system. ``SecCopyLastErrorExplanation()`` returns the details.
@discardableResult
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
  status {
    let request = try ItemRequest(attributes, for: .add)
    // Not in one statement: without `result`, nothing of an assignment is evaluated.
    let object = try Keychain.shared.add(request)
    unsafe result?.pointee = object
  }
}

/// Finds the items that match a query.
///
/// - Parameters:
///   - query: The class, the attributes to compare, conditions `kSecMatch…`, and keys `kSecReturn…`. Without
///     `kSecAttrSynchronizable`, only items that are not marked as synchronizable match. Without `kSecAttrAccessGroup`,
///     all access groups of the program are searched.
///   - result: Set to the result: a single value if `kSecMatchLimit` is one, the default; otherwise an array, in no
///     particular order. A value is data for `kSecReturnData` or `kSecReturnPersistentRef`, an object for
///     `kSecReturnRef`, and a dictionary for `kSecReturnAttributes` or several of these keys.
/// - Returns: `errSecSuccess`; `errSecItemNotFound`; `errSecDecode` if the only matches are damaged; and the errors of
///   ``SecItemAdd(_:_:)``.
@discardableResult
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
  status {
    let request = try ItemRequest(query, for: .search)
    let found = try Keychain.shared.copy(request)
    unsafe result?.pointee = found
  }
}

/// Updates all items that match a query, or none if the call fails.
///
/// - Parameters:
///   - query: The class, the attributes and the conditions `kSecMatch…`, as in ``SecItemCopyMatching(_:_:)``. The keys
///     `kSecMatchLimit`, `kSecReturn…` and `kSecValueData` are ignored, as on macOS.
///   - attributesToUpdate: The new attributes and the new value. `NSNull` removes an attribute; `kSecAttrAccessGroup`
///     moves the items to another access group.
/// - Returns: `errSecSuccess` after the change was written to disk; `errSecItemNotFound`; `errSecDuplicateItem` if two
///   items would have the same primary key; `errSecNoSuchAttr` for a new class; and the errors of ``SecItemAdd(_:_:)``.
@discardableResult
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
  status {
    let request = try ItemRequest(query, for: .selection)
    let changes = try ItemRequest(attributesToUpdate, for: .newValues, of: request.itemClass)
    try Keychain.shared.update(request, by: changes)
  }
}

/// Deletes all items that match a query, or none if the call fails.
///
/// Without `kSecAttrAccessGroup`, items of all access groups are deleted that the app may write, also of groups that it
/// shares with other apps, as on Apple's systems. Items of groups that it may only read are not found. The command
/// `coffer delete` differs: it refuses an item that several groups have, and one that the app may only read.
///
/// - Parameter query: The class, the attributes and the conditions, as in ``SecItemUpdate(_:_:)``.
/// - Returns: `errSecSuccess` after the change was written to disk; `errSecItemNotFound`; and the errors of
///   ``SecItemAdd(_:_:)``.
@discardableResult
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
  status {
    let request = try ItemRequest(query, for: .selection)
    try Keychain.shared.delete(request)
  }
}
