public import Foundation

/// The set of codes that an error's number belongs to.
public typealias CFErrorDomain = NSString

// Strings are immutable, and made once: any thread may read them.

/// The domain of Apple's error numbers, ``OSStatus``.
@safe nonisolated(unsafe) public let kCFErrorDomainOSStatus: CFErrorDomain! = NSString(string: NSOSStatusErrorDomain)
/// The domain of Foundation's errors.
@safe nonisolated(unsafe) public let kCFErrorDomainCocoa: CFErrorDomain! = NSString(string: NSCocoaErrorDomain)
/// The domain of `errno`.
@safe nonisolated(unsafe) public let kCFErrorDomainPOSIX: CFErrorDomain! = NSString(string: NSPOSIXErrorDomain)
/// The key of an error's description in its dictionary.
@safe nonisolated(unsafe) public let kCFErrorLocalizedDescriptionKey: CFString! =
  NSString(string: NSLocalizedDescriptionKey)
/// The key of the underlying error in an error's dictionary.
@safe nonisolated(unsafe) public let kCFErrorUnderlyingErrorKey: CFString! = NSString(string: NSUnderlyingErrorKey)

/// Makes an error.
@discardableResult
public func CFErrorCreate(
  _ allocator: CFAllocator!, _ domain: CFErrorDomain!, _ code: CFIndex, _ userInfo: CFDictionary!
) -> CFError! {
  NSError(domain: domain.map(String.init) ?? "", code: code, userInfo: userInfo as? [String: Any] ?? [:])
}

/// The error's number.
@discardableResult
public func CFErrorGetCode(_ error: CFError!) -> CFIndex { error?.code ?? 0 }

/// The error's domain.
@discardableResult
public func CFErrorGetDomain(_ error: CFError!) -> CFErrorDomain! { error.map { NSString(string: $0.domain) } }

/// What happened, in words.
@discardableResult
public func CFErrorCopyDescription(_ error: CFError!) -> CFString! {
  error.map { NSString(string: $0.localizedDescription) }
}

/// Why it happened, in words, where the error says so.
@discardableResult
public func CFErrorCopyFailureReason(_ error: CFError!) -> CFString! {
  error?.localizedFailureReason.map { NSString(string: $0) }
}

/// What the error carries besides its number.
@discardableResult
public func CFErrorCopyUserInfo(_ error: CFError!) -> CFDictionary! {
  error.map { NSDictionary(dictionary: $0.userInfo) }
}
