internal import CofferCrypto
internal import Synchronization

/// What somebody typed, wiped when the last reference goes. It has no description and no coding.
public final class Passphrase: Sendable {
  /// The most bytes that a passphrase has.
  public static let maximumByteCount = 1024

  private let bytes: Mutex<[UInt8]>

  /// Takes the bytes over and leaves an empty array; they are wiped in the end if nobody else shares the array.
  public init(moving bytes: inout [UInt8]) {
    var taken: [UInt8] = []
    swap(&taken, &bytes)
    self.bytes = Mutex(taken)
  }

  deinit { bytes.withLock { $0.wipe() } }

  /// True for a number of bytes that a key can be derived from.
  package var isUsable: Bool { bytes.withLock { PasswordHash.passphraseByteCounts.contains($0.count) } }

  /// A copy of the bytes with storage of its own; whoever takes it wipes it.
  package func copyBytes() -> [UInt8] {
    bytes.withLock { bytes in
      unsafe [UInt8](unsafeUninitializedCapacity: bytes.count) { unsafe $1 = $0.initialize(fromContentsOf: bytes) }
    }
  }
}

extension Passphrase: Equatable {
  /// True for the same bytes.
  public static func == (left: Passphrase, right: Passphrase) -> Bool {
    var (first, second) = (left.copyBytes(), right.copyBytes())
    defer {
      first.wipe()
      second.wipe()
    }
    return first == second
  }
}
