internal import CofferCrypto

/// A branch with segments for which there was no room on the vault's branch, because many machines pushed at once. It has
/// one commit. Any machine that pushes puts its segments on the vault's branch, and then deletes it.
struct Lane: Hashable {
  private let random: Bytes16

  static let prefix = "refs/heads/lane-"

  private init(random: Bytes16) { self.random = random }

  /// Parses the full name of a branch. Returns nil for another one.
  init?(_ name: String) {
    guard name.hasPrefix(Self.prefix),
      let random = bytes(hexadecimal: name.dropFirst(Self.prefix.count)).flatMap({ Bytes16($0) })
    else { return nil }
    self.init(random: random)
    guard self.name == name else { return nil }
  }

  /// Returns a lane with a new name.
  static func random() -> Lane { Lane(random: Bytes16(Random.bytes(count: 16)) ?? .zero) }

  /// The full name.
  var name: String { Self.prefix + random.hex }

  /// The reference in the cache repository that has the branch for a moment.
  var cached: String { "refs/coffer/lane-\(random.hex)" }
}
