/// Why an entry of another branch of the log does not count, by the chain that a machine has followed. Empty if it counts, and
/// so proves a fork.
package struct BranchStanding: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Every entry of its branch, up to this one, was withdrawn by its signer, or has a signer who is an admin on this branch
  /// only. What follows may count.
  package static let withdrawn = BranchStanding(rawValue: 1)
  /// Root has rejected its branch.
  package static let rejected = BranchStanding(rawValue: 2)
  /// Root has removed the admin who signed it, or one who signed an entry before it on its branch.
  package static let removed = BranchStanding(rawValue: 4)
  /// Its branch leaves the chain before a succession: whoever has seen the vault key replaced follows no branch on which
  /// that did not happen.
  package static let outdated = BranchStanding(rawValue: 8)

  package var counts: Bool { isEmpty }

  /// Whether neither it nor what follows it ever counts, whatever their signers do. Root may still have ended the fork on a
  /// rejected branch as well, which counts.
  package var isVoid: Bool { !isDisjoint(with: [.rejected, .removed, .outdated]) }
}
