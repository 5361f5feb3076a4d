/// The branch of the repository that holds an epoch.
package struct EpochBranch: Hashable, Sendable {
  /// The number of the epoch, from 1.
  package let epoch: UInt32
  /// A random number, so that nobody can occupy the name beforehand. Zero for the first epoch, whose name is fixed.
  package let tag: UInt64

  package static let first = EpochBranch(epoch: 1, tag: 0)

  private init(epoch: UInt32, tag: UInt64) {
    self.epoch = epoch
    self.tag = tag
  }

  /// Creates the branch of a later epoch. Returns nil for an epoch before the second.
  package init?(epoch: UInt32, tagged tag: UInt64) {
    guard epoch >= Checkpoint.firstEpoch else { return nil }
    self.init(epoch: epoch, tag: tag)
  }

  /// Reads the name of a branch, without `refs/heads/`. Returns nil for any other name.
  package init?(name: String) {
    if name == Self.first.name {
      self = .first
      return
    }
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, let epoch = UInt32(parts[1]), let tag = UInt64(parts[2], radix: 16),
      let branch = EpochBranch(epoch: epoch, tagged: tag), branch.name == name
    else { return nil }
    self = branch
  }

  /// The name of the branch, without `refs/heads/`.
  package var name: String {
    guard epoch >= Checkpoint.firstEpoch else { return "vault-1" }
    let digits = String(tag, radix: 16)
    return "vault-\(epoch)-\(String(repeating: "0", count: 16 - digits.count))\(digits)"
  }
}
