package import CofferCrypto

/// A passphrase or password in memory that is wiped when the last reference is released.
///
/// It has no description and cannot be encoded, so that it does not get into logs or files by accident.
public final class Passphrase: Sendable {
  /// The maximum length, in bytes.
  public static let maximumByteCount = 1024

  package let secret: SecretText

  /// Moves the bytes out of an array, leaving it empty.
  ///
  /// The array's own bytes are wiped only if its storage is not shared with another array.
  public init(moving bytes: inout [UInt8]) { secret = SecretText(moving: &bytes) }

  /// Creates a passphrase of bytes in guarded memory.
  package init(_ secret: SecretText) { self.secret = secret }

  /// True if a key can be derived from a passphrase of this length.
  package var isUsable: Bool { PasswordHash.passphraseByteCounts.contains(secret.count) }
}

extension Passphrase: Equatable {
  /// Returns whether both have the same bytes.
  public static func == (left: Passphrase, right: Passphrase) -> Bool { left.secret == right.secret }
}
