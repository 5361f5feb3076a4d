package import CofferTrust

extension LogFork {
  /// The error for what a forked log does not allow.
  package var error: VaultError {
    VaultError(.integrity, words, recoverySuggestion: recoverySuggestion)
  }

  /// The way out of a fork.
  package var recoverySuggestion: String {
    if isOwnWithdrawn {
      return
        "the entries of this machine's branch were withdrawn by who signed them; to follow the other branch, run here: coffer clone --rejoin --accept-fork"
    }
    return
      "what was added on either branch does not count; compare `coffer status` on your machines, and run `coffer clone --rejoin --accept-fork` on those that have the wrong branch; if a change on one of them failed at the host, repeating it there withdraws the entry"
  }
}
