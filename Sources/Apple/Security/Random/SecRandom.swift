public import Foundation

/// A source of random bytes. The only one is the system's, ``kSecRandomDefault``.
public final class SecRandom: NSObject, Sendable {
  override private init() {}
}

/// A source of random bytes.
public typealias SecRandomRef = SecRandom

/// The system's source of random bytes.
public let kSecRandomDefault: SecRandomRef? = nil
