package import CofferTrust

extension LogFork {
  /// The error for what a forked log does not allow.
  package var error: VaultError {
    VaultError(.integrity, words, recoverySuggestion: Self.recoverySuggestion)
  }

  /// The way out of a fork.
  package static let recoverySuggestion =
    "what was added on either branch does not count; compare `coffer status` on your machines, and run `coffer clone --rejoin --accept-fork` on those that have the wrong branch"
}
