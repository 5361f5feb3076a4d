public import Foundation

/// The domain of an error code.
public typealias CFErrorDomain = NSString

// Safe to read on any thread: the strings are immutable.

/// The domain of Apple's error codes, ``OSStatus``.
@safe nonisolated(unsafe) public let kCFErrorDomainOSStatus: CFErrorDomain! = NSString(string: NSOSStatusErrorDomain)
/// The domain of Foundation's error codes.
@safe nonisolated(unsafe) public let kCFErrorDomainCocoa: CFErrorDomain! = NSString(string: NSCocoaErrorDomain)
/// The domain of `errno` values.
@safe nonisolated(unsafe) public let kCFErrorDomainPOSIX: CFErrorDomain! = NSString(string: NSPOSIXErrorDomain)
/// The key of the description in the user information of an error.
@safe nonisolated(unsafe) public let kCFErrorLocalizedDescriptionKey: CFString! =
  NSString(string: NSLocalizedDescriptionKey)
/// The key of the underlying error in the user information of an error.
@safe nonisolated(unsafe) public let kCFErrorUnderlyingErrorKey: CFString! = NSString(string: NSUnderlyingErrorKey)

/// Creates an error.
@discardableResult
public func CFErrorCreate(
  _ allocator: CFAllocator!, _ domain: CFErrorDomain!, _ code: CFIndex, _ userInfo: CFDictionary!
) -> CFError! {
  NSError(domain: domain.map(String.init) ?? "", code: code, userInfo: userInfo as? [String: Any] ?? [:])
}

/// Returns the code of an error; 0 for nil.
@discardableResult
public func CFErrorGetCode(_ error: CFError!) -> CFIndex { error?.code ?? 0 }

/// Returns the domain of an error.
@discardableResult
public func CFErrorGetDomain(_ error: CFError!) -> CFErrorDomain! { error.map { NSString(string: $0.domain) } }

/// Returns the description of an error.
@discardableResult
public func CFErrorCopyDescription(_ error: CFError!) -> CFString! {
  error.map { NSString(string: $0.localizedDescription) }
}

/// Returns the failure reason of an error; nil if it has none.
@discardableResult
public func CFErrorCopyFailureReason(_ error: CFError!) -> CFString! {
  error?.localizedFailureReason.map { NSString(string: $0) }
}

/// Returns the user information of an error.
@discardableResult
public func CFErrorCopyUserInfo(_ error: CFError!) -> CFDictionary! {
  error.map { NSDictionary(dictionary: $0.userInfo) }
}
