internal import Coffer
internal import CofferFormat
internal import CofferStore
package import CofferTrust
package import CofferVault

/// What ending a fork of the membership log on this machine's branch keeps and gives up; or, after the end of the fork, which
/// keys of the branches that were given up can still be taken over.
package struct ForkPreview: Sendable {
  /// The fork; nil if it has ended.
  package let fork: LogFork?
  /// The entries of this machine's branch after the fork, which count from then on, oldest first.
  package let kept: [LogLine]
  /// The entries of the other branches of the fork, which never count, oldest first.
  package let rejected: [LogLine]
  /// The access groups that another branch created, with their full names, in ascending order: what was written there does
  /// not open on this machine's branch.
  package let groupsGivenUp: [String]
  /// The access groups of which other branches have keys that this one takes over.
  package let groupsRecovered: [String]
  /// The access groups of which it does not take them over: somebody who was removed on another branch can read these
  /// groups here, and must not get the keys that were to keep it out.
  package let groupsWithheld: [String]
  /// The entries of all branches that are given up, in ascending order.
  let rejectedEntries: [LogEntry]

  /// The number of the last entry that the branches share; nil if the fork has ended.
  package var forkedAfter: UInt64? { fork?.parent.sequence }
  /// Whether root has ended the fork on another branch before.
  package var isOwnRejected: Bool { fork?.own.contains(.rejected) == true }

  /// Reads both branches. Returns nil if the log has not forked and there is no key to take over.
  package static func read(from local: LocalVault) throws(VaultError) -> ForkPreview? {
    try translatingErrors { try local.store.read { try read(from: local, $0) } }
  }

  private static func read(from local: LocalVault, _ reader: borrowing StoreReader) throws -> ForkPreview? {
    let branches = try local.branches(in: reader)
    let membership = branches.continued
    let others = try reader.rivals().compactMap { try? LogEntry(bytes: $0.entry) }.filter { entry in
      branches.rivals[entry.hash].map { $0.counts || $0.contains(.rejected) } ?? false
    }
    let keys = RejectedKeys(of: others, in: membership, at: .now)
    guard branches.fork != nil || !keys.byGroup.isEmpty else { return nil }
    let index = try LogIndex.read(from: reader, genesis: branches.chain.genesis)
    let words = LogWords(index: index, team: branches.chain.team)
    let rivals = others.filter { branches.rivals[$0.hash]?.contains(.rejected) == false }
      .map { LogIndex.Entry(entry: $0, statement: try? Statement.parse($0), isPublished: true) }
    let created = rivals.compactMap { rival in
      if case .groupKey(let statement)? = rival.statement { statement.name } else { nil }
    }
    func names(_ groups: some Sequence<GroupID>) -> [String] {
      groups.compactMap { membership.groups[$0]?.name.description }.sorted()
    }
    let parent = branches.fork?.parent.sequence ?? .max
    return ForkPreview(
      fork: branches.fork,
      kept: index.entries.filter { $0.entry.sequence > parent }.map { words.line(of: $0, isAfterFork: true) },
      rejected: rivals.map { words.line(of: $0, isAfterFork: true) },
      groupsGivenUp: Set(created).sorted(), groupsRecovered: names(keys.byGroup.keys),
      groupsWithheld: names(keys.withheld), rejectedEntries: others)
  }
}
