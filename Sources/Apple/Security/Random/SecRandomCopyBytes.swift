internal import Foundation

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
