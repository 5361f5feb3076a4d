import CofferFormat
import CofferTrust

/// A vault's log that goes on after entries that it shares with other branches.
struct VaultBranch {
  var vault: RevocableVault
  /// The entries that only this branch has.
  let entries: [LogEntry]
}

extension RevocableVault {
  /// Returns a branch that begins at the end of this vault's log.
  func branch(_ steps: (inout RevocableVault) throws -> Void) throws -> VaultBranch {
    var copy = self
    try steps(&copy)
    return VaultBranch(vault: copy, entries: Array(copy.log.entries.dropFirst(log.entries.count)))
  }
}

extension LogBranches {
  /// The valid entries of other branches with a validity.
  func competingEntries(where isMeant: (BranchValidity) -> Bool) -> Set<EntryHash> {
    Set(competingEntries.filter { isMeant($0.value) }.keys)
  }
}
