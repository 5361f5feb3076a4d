internal import CofferFormat
internal import CofferStore
package import CofferTrust
package import CofferVault

/// What ending a fork of the membership log on this machine's branch keeps and gives up.
package struct ForkPreview: Hashable, Sendable {
  /// The fork.
  package let fork: LogFork
  /// The number of the last entry that the branches share.
  package var forkedAfter: UInt64 { fork.parent.sequence }
  /// Whether root has ended the fork on another branch before.
  package var isOwnRejected: Bool { fork.isOwnRejected }
  /// The entries of this machine's branch after the fork, which count from then on, oldest first.
  package let kept: [LogLine]
  /// The entries of the other branches, which never count, oldest first.
  package let rejected: [LogLine]
  /// The access groups that another branch created, with their full names, in ascending order: what was written there does
  /// not open on this machine's branch.
  package let groupsGivenUp: [String]

  /// Reads both branches.
  ///
  /// - Parameter local: The vault.
  /// - Returns: What happens; nil if the log has not forked.
  /// - Throws: ``VaultError``: `integrity` or `io` if the store cannot be read.
  package static func read(from local: LocalVault) throws(VaultError) -> ForkPreview? {
    try translatingErrors {
      try local.store.read { reader in
        let branches = try local.branches(in: reader)
        guard let fork = branches.fork else { return nil }
        let index = try LogIndex.read(from: reader, genesis: branches.chain.genesis)
        let words = LogWords(index: index, team: branches.chain.team)
        let others = try rivals(of: branches, reader)
          .map { LogIndex.Entry(entry: $0, statement: try? Statement.parse($0), isPublished: true) }
        let groups = others.compactMap { other in
          if case .groupKey(let statement)? = other.statement, statement.generation == 1 { statement.name } else { nil }
        }
        return ForkPreview(
          fork: fork,
          kept: index.entries.filter { $0.entry.sequence > fork.parent.sequence }
            .map { words.line(of: $0, isAfterFork: true) },
          rejected: others.map { words.line(of: $0, isAfterFork: true) },
          groupsGivenUp: Set(groups).sorted())
      }
    }
  }

  /// Reads the entries of the other branches of the fork, in ascending order.
  static func rejectedEntries(in local: LocalVault) throws(VaultError) -> [LogEntry] {
    try translatingErrors { try local.store.read { try rivals(of: local.branches(in: $0), $0) } }
  }

  private static func rivals(of branches: LogBranches, _ reader: borrowing StoreReader) throws -> [LogEntry] {
    try reader.rivals().compactMap { try? LogEntry(bytes: $0.entry) }
      .filter { branches.validRivals.contains($0.hash) && !branches.withdrawnRivals.contains($0.hash) }
  }
}
