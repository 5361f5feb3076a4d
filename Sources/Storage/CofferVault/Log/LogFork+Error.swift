package import CofferTrust

extension LogFork {
  /// The error for what a forked log does not allow.
  package var error: VaultError {
    VaultError(.integrity, words, recoverySuggestion: recoverySuggestion)
  }

  /// The way out of a fork.
  package var recoverySuggestion: String {
    if isHandedOverTwice {
      return
        "the vault key was replaced on both branches, and somebody with the old vault key may have signed one of them: follow neither unseen. Compare these phrases with the head phrase of `coffer status` on the machine where you replaced it. If the last entry here is on the way to it, sync again until the host shows the rest; if the other branch ends with it, run here: coffer clone --rejoin --accept-fork"
    }
    if own.contains(.outdated) {
      return
        "the vault key was replaced on the other branch, so this machine's branch counts for nothing there; compare `coffer status` on the machine that replaced it and, to follow it, run here: coffer clone --rejoin --accept-fork"
    }
    if own.contains(.rejected) {
      return
        "the vault key was used to end the fork on the other branch, so this machine's branch counts for nothing; to follow the other one, run here: coffer clone --rejoin --accept-fork"
    }
    if !own.counts {
      return
        "the entries of this machine's branch were withdrawn by who signed them, or an admin who signed them was removed; to follow the other branch, run here: coffer clone --rejoin --accept-fork"
    }
    return
      "what was added on either branch does not count; see both with `coffer log`. If an admin's machine signed the other branch and cannot be trusted, remove it with the vault key on a machine that has the right one: coffer device revoke NAME. If a change on a machine failed at the host, repeating it there withdraws the entry. Otherwise end the fork on a machine that has the right branch, with the vault key: coffer log resolve. If only this machine has the wrong one, run here: coffer clone --rejoin --accept-fork"
  }
}
