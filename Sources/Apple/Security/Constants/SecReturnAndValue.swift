public import Foundation

// The kinds of results and the values of items, from SecItem.h, with Apple's values.
//
// Safe to read on any thread: the strings are immutable.

/// Whether to return the value, as data: a Boolean.
@safe nonisolated(unsafe) public let kSecReturnData: CFString = "r_Data"
/// Whether to return the attributes, as a dictionary: a Boolean.
@safe nonisolated(unsafe) public let kSecReturnAttributes: CFString = "r_Attributes"
/// Whether to return the key, certificate or identity: a Boolean.
@safe nonisolated(unsafe) public let kSecReturnRef: CFString = "r_Ref"
/// Whether to return the persistent reference, as data: a Boolean.
@safe nonisolated(unsafe) public let kSecReturnPersistentRef: CFString = "r_PersistentRef"
/// The value of the item: data.
@safe nonisolated(unsafe) public let kSecValueData: CFString = "v_Data"
/// The item as an object: a ``SecKey``, ``SecCertificate`` or ``SecIdentity``.
@safe nonisolated(unsafe) public let kSecValueRef: CFString = "v_Ref"
/// The persistent reference of the item: data.
@safe nonisolated(unsafe) public let kSecValuePersistentRef: CFString = "v_PersistentRef"
