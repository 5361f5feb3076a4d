public import Foundation

// What a search returns, and what items are given by: SecItem.h, with Apple's values.
//
// Strings are immutable, and each is made once: any thread may read them.

/// Whether to return the value, as data: a truth value.
@safe nonisolated(unsafe) public let kSecReturnData: CFString = "r_Data"
/// Whether to return the attributes, as a dictionary: a truth value.
@safe nonisolated(unsafe) public let kSecReturnAttributes: CFString = "r_Attributes"
/// Whether to return the key, certificate or identity: a truth value.
@safe nonisolated(unsafe) public let kSecReturnRef: CFString = "r_Ref"
/// Whether to return the persistent reference, as data: a truth value.
@safe nonisolated(unsafe) public let kSecReturnPersistentRef: CFString = "r_PersistentRef"
/// The item's value, as data.
@safe nonisolated(unsafe) public let kSecValueData: CFString = "v_Data"
/// The key, certificate or identity.
@safe nonisolated(unsafe) public let kSecValueRef: CFString = "v_Ref"
/// The item's persistent reference, as data.
@safe nonisolated(unsafe) public let kSecValuePersistentRef: CFString = "v_PersistentRef"
