import CSodium
import CofferTestSupport
import Foundation

/// Takes the place of libsodium's random numbers: the keys, nonces and identifiers of a world are the same each time
/// that its seed runs. For this program only, in which no key protects anything.
enum SeededSodium {
  // The program has one thread.
  nonisolated(unsafe) fileprivate static var generator = SeededGenerator(seed: 0)
  nonisolated(unsafe) private static var implementation = unsafe randombytes_implementation(
    implementation_name: { unsafe name },
    random: { UInt32(truncatingIfNeeded: unsafe generator.next()) },
    stir: nil,
    // libsodium derives numbers below a bound from `random`.
    uniform: nil,
    buf: { start, count in
      guard let start = unsafe start else { return }
      let bytes = unsafe UnsafeMutableRawBufferPointer(start: start, count: count)
      for index in bytes.indices { unsafe bytes[index] = UInt8(truncatingIfNeeded: generator.next()) }
    },
    close: nil)
  // It never changes.
  nonisolated(unsafe) private static let name = unsafe UnsafePointer(strdup("seeded"))

  /// Begins a sequence of numbers.
  static func begin(seed: UInt64) {
    unsafe generator = SeededGenerator(seed: seed)
    unsafe _ = randombytes_set_implementation(&implementation)
  }
}
