internal import CofferCrypto
package import CofferFormat
internal import CofferTrust
package import CofferVault

/// Ends a fork of the membership log on the branch that this machine has followed. Only root can: each branch is signed by
/// admins, and none of them is to decide for the others.
package struct ForkResolution: Sendable {
  private let local: LocalVault

  /// - Parameter local: The vault.
  package init(in local: LocalVault) { self.local = local }

  /// Returns what ending the fork keeps and gives up.
  ///
  /// - Throws: ``VaultError``: `invalidArgument` if the log has not forked; `integrity` if the fork cannot end on this
  ///   machine's branch, because that counts for nothing or the vault key was replaced on another one.
  package func preview() throws(VaultError) -> ForkPreview {
    guard let preview = try ForkPreview.read(from: local) else {
      throw VaultError(
        .invalidArgument, "the membership log has not forked, as far as this machine has seen",
        recoverySuggestion: "nothing was changed; to see what other branches the host shows, run: coffer sync")
    }
    guard preview.fork.isResolvable else { throw preview.fork.error }
    return preview
  }

  /// Appends the statement that ends the fork to the log. Call it again if it was not published, because another machine's
  /// entries came first.
  ///
  /// - Parameters:
  ///   - vaultKey: The vault key.
  ///   - accepted: What the owner has seen; nil if any branches are to be given up that are known by now.
  /// - Returns: The position of the entry; nil if the fork has ended meanwhile.
  /// - Throws: ``VaultError``: the errors of ``preview()`` but that without a fork; `integrity` if the branches are not
  ///   those of `accepted`; `authenticationFailed` for a wrong vault key; `upgradeNeeded`.
  package func run(with vaultKey: VaultKey, accepting accepted: ForkPreview?) throws(VaultError) -> LogPosition? {
    let session = try AdminSession.openRoot(local, vaultKey: vaultKey)
    guard let fork = try ForkPreview.read(from: local)?.fork else { return nil }
    guard fork.isResolvable else { throw fork.error }
    if let accepted, accepted.fork.rejectable != fork.rejectable || accepted.fork.heads.first != fork.heads.first {
      throw VaultError(
        .integrity, "the branches of the membership log have changed since they were shown",
        recoverySuggestion: "look at them again with: coffer log resolve; nothing was changed")
    }
    guard fork.rejectable.count <= Limits.rejectedEntries else {
      throw VaultError(
        .integrity, "the membership log has more than \(Limits.rejectedEntries / 2) other branches",
        recoverySuggestion: "take the machine out that has signed them: coffer device revoke NAME")
    }
    let others = try ForkPreview.rejectedEntries(in: local)
    let all = fork.rejectable.union(others.map(\.hash))
    // What other machines claim to have seen is on the branches that are given up.
    return try session.change(despiteClaims: true) { draft in
      try draft.reject(
        all.count > Limits.rejectedEntries ? fork.rejectable : all, with: others, as: session.keys)
    }.position
  }
}
