internal import Dispatch
public import Foundation

/// A source of random bytes. The only one is the system's, ``kSecRandomDefault``.
public final class SecRandom: NSObject, Sendable {
  override private init() {}
}

/// A source of random bytes.
public typealias SecRandomRef = SecRandom

/// The system's source of random bytes.
public let kSecRandomDefault: SecRandomRef? = nil

/// Fills a buffer with random bytes from the kernel.
///
/// - Parameters:
///   - random: Ignored.
///   - count: The number of bytes.
///   - bytes: The buffer.
/// - Returns: `errSecSuccess`; `errSecParam` for a negative count; -1, with `errno` set, if `getentropy` fails.
@discardableResult
public func SecRandomCopyBytes(_ random: SecRandomRef?, _ count: Int, _ bytes: UnsafeMutableRawPointer) -> Int32 {
  guard count >= 0 else { return errSecParam }
  let largestRequest = 256
  var filled = 0
  while filled < count {
    let request = min(largestRequest, count - filled)
    guard unsafe getentropy(bytes + filled, request) == 0 else { return -1 }
    filled += request
  }
  return errSecSuccess
}

/// Not supported: there is no service on Linux that shares passwords between apps and websites.
///
/// - Parameters:
///   - fqdn: Ignored.
///   - account: Ignored.
///   - password: Ignored.
///   - completionHandler: Called once, on another thread, with `errSecUnimplemented`.
public func SecAddSharedWebCredential(
  _ fqdn: CFString, _ account: CFString, _ password: CFString?, _ completionHandler: @escaping (CFError?) -> Void
) {
  let error = SecurityError(errSecUnimplemented, "passwords that are shared with websites are not supported on Linux")
  // Apple's handler is not `@sendable`, and is also called on another thread.
  nonisolated(unsafe) let handler = completionHandler
  DispatchQueue.global().async { unsafe handler(error.cfError) }
}

/// Returns a random password in the form `xxx-xxx-xxx-xxx`, with lower-case and upper-case letters and digits that are
/// not easily confused, at least one of each: about 68 bits from the kernel's random numbers.
@discardableResult
public func SecCreateSharedWebCredentialPassword() -> CFString? {
  var random = SystemRandomNumberGenerator()
  return NSString(string: sharedPassword(using: &random))
}

/// Returns a password of the form of ``SecCreateSharedWebCredentialPassword()``.
func sharedPassword(using random: inout some RandomNumberGenerator) -> String {
  // The sets of characters in Apple's SecSharedCredential.h.
  let kinds = ["abcdefghkmnopqrstuvwxy", "ABCDEFGHJKLMNPQRSTUVWXYZ", "3456789"].map { Array($0) }
  let all = kinds.flatMap(\.self)
  while true {
    // Drawn again as a whole if a kind is missing, so that all passwords of the form are equally likely.
    let drawn = (0..<12).map { _ in all[Int(random.next(upperBound: UInt(all.count)))] }
    guard kinds.allSatisfy({ !Set($0).isDisjoint(with: drawn) }) else { continue }
    return stride(from: 0, to: drawn.count, by: 3).map { String(drawn[$0..<$0 + 3]) }.joined(separator: "-")
  }
}
