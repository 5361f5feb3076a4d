internal import CofferCrypto
internal import Synchronization

/// A passphrase or password in memory that is wiped when the last reference is released.
///
/// It has no description and cannot be encoded, so that it does not get into logs or files by accident.
public final class Passphrase: Sendable {
  /// The maximum length, in bytes.
  public static let maximumByteCount = 1024

  private let bytes: Mutex<[UInt8]>

  /// Moves the bytes out of an array, leaving it empty.
  ///
  /// The bytes are wiped later only if the array's storage is not shared with another array.
  public init(moving bytes: inout [UInt8]) {
    var moved: [UInt8] = []
    swap(&moved, &bytes)
    self.bytes = Mutex(moved)
  }

  deinit { bytes.withLock { $0.wipe() } }

  /// True if a key can be derived from a passphrase of this length.
  package var isUsable: Bool { bytes.withLock { PasswordHash.passphraseByteCounts.contains($0.count) } }

  /// Returns a copy of the bytes in storage that is not shared. The caller must wipe it.
  package func copyBytes() -> [UInt8] {
    bytes.withLock { bytes in
      unsafe [UInt8](unsafeUninitializedCapacity: bytes.count) { unsafe $1 = $0.initialize(fromContentsOf: bytes) }
    }
  }
}

extension Passphrase: Equatable {
  /// Returns whether both have the same bytes.
  public static func == (left: Passphrase, right: Passphrase) -> Bool {
    var (first, second) = (left.copyBytes(), right.copyBytes())
    defer {
      first.wipe()
      second.wipe()
    }
    return first == second
  }
}
