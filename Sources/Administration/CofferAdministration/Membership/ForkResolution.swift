internal import Coffer
internal import CofferCrypto
package import CofferFormat
internal import CofferTrust
package import CofferVault

/// Ends a fork of the membership log on the branch that this machine has followed. Only root can: each branch is signed by
/// admins, and none of them is to decide for the others.
package struct ForkResolution: Sendable {
  private let local: LocalVault

  package init(in local: LocalVault) { self.local = local }

  /// Returns what ending the fork keeps and gives up. If it has ended, and a branch that was given up has keys that
  /// this one lacks, returns which: a machine may have shown them later, or somebody has been removed again meanwhile
  /// who had to be kept from them. Throws `invalidArgument` if the log has not forked, and `integrity` if the fork
  /// cannot end on this machine's branch, because that counts for nothing or the vault key was replaced on another one.
  package func preview() throws(VaultError) -> ForkPreview {
    guard let preview = try ForkPreview.read(from: local) else {
      throw VaultError(
        .invalidArgument, "the membership log has not forked, as far as this machine has seen",
        recoverySuggestion: "nothing was changed; to see what other branches the host shows, run: coffer sync")
    }
    if let fork = preview.fork, !fork.isResolvable { throw fork.error }
    return preview
  }

  /// Appends the statement that ends the fork to the log. Call it again if it was not published, because another
  /// machine's entries came first. With `accepted`, which the owner has seen, throws `integrity` if the branches are
  /// others by now. Returns nil if there is nothing to do any more.
  package func run(with vaultKey: VaultKey, accepting accepted: ForkPreview?) throws(VaultError) -> LogPosition? {
    let session = try AdminSession.openRoot(local, vaultKey: vaultKey)
    guard let found = try ForkPreview.read(from: local) else { return nil }
    if let fork = found.fork, !fork.isResolvable { throw fork.error }
    if let accepted {
      let isSame =
        accepted.fork?.rejectable == found.fork?.rejectable && accepted.fork?.heads.first == found.fork?.heads.first
      guard isSame else {
        throw VaultError(
          .integrity, "the branches of the membership log have changed since they were shown",
          recoverySuggestion: "look at them again with: coffer log resolve; nothing was changed")
      }
    }
    let rejected = try Self.entriesToName(of: found)
    // What other machines claim to have seen is on the branches that are given up.
    return try session.change(despiteClaims: true) { draft in
      try draft.reject(rejected, with: found.rejectedEntries, as: session.keys, endsFork: found.fork != nil)
    }.position
  }

  /// Returns the entries that are named to reject their branches: all, so that machines can say that they have seen them; or
  /// those that matter.
  private static func entriesToName(of preview: ForkPreview) throws(VaultError) -> Set<EntryHash> {
    let needed = preview.fork?.rejectable ?? []
    let all = needed.union(preview.rejectedEntries.map(\.hash))
    if all.count <= Limits.rejectedEntries { return all }
    // A resolution on another branch counts there unless it is named itself.
    let resolutions = preview.rejectedEntries.filter { $0.kind == Statement.Kind.resolution.rawValue }.map(\.hash)
    let named = needed.union(resolutions)
    if named.count <= Limits.rejectedEntries, !named.isEmpty { return named }
    guard preview.fork != nil else { return Set(all.prefix(Limits.rejectedEntries)) }
    throw VaultError(
      .integrity, "the membership log has more than \(Limits.rejectedEntries / 2) other branches",
      recoverySuggestion: "remove the machine that has signed them: coffer device revoke NAME")
  }
}
