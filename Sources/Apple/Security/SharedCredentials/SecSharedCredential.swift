internal import Dispatch
public import Foundation

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
