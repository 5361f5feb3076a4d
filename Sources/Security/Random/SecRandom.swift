public import Foundation

/// A source of random bytes. The system's is the only one; nobody makes others.
public final class SecRandom: NSObject, Sendable {
  override private init() {}
}

/// A source of random bytes.
public typealias SecRandomRef = SecRandom

/// The system's source of random bytes.
public let kSecRandomDefault: SecRandomRef? = nil

/// Fills `bytes` with `count` random bytes from the kernel.
///
/// - Returns: `errSecSuccess`; `errSecParam` for a negative count; -1, with `errno` set, where the kernel has none.
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
