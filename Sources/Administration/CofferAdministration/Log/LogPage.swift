internal import Coffer
internal import CofferFormat
internal import CofferStore
package import CofferTrust
public import CofferVault

/// A part of the membership log, newest entry first.
public struct LogPage: Hashable, Sendable {
  /// The lines in descending order of their numbers.
  public let lines: [LogLine]
  /// The number of entries in the log.
  public let total: Int
  /// Pass this to the next call for the entries before these; nil if there are none.
  public let next: UInt64?
  /// The phrase of the last entry, or of the genesis of an empty log: machines that show the same phrase have the same log.
  public let headPhrase: String
  /// The fork of the log; nil if there is none.
  package let fork: LogFork?
  /// The entries of other branches, in descending order of their numbers. None of them counts.
  public let otherBranches: [LogLine]

  /// What happened if the log has forked, and what to do; nil if it has not.
  public var forkError: VaultError? { fork?.error }

  /// The number of entries of a page.
  package static let standardLimit = 50

  /// Reads the last `limit` entries before a number, or before the end of the log if it is nil. The page is empty if
  /// there are none.
  package static func read(
    from local: LocalVault, before: UInt64? = nil, limit: Int? = standardLimit, filter: LogFilter = LogFilter()
  ) throws(VaultError) -> LogPage {
    try translatingErrors {
      try local.store.read { reader in
        let branches = try local.branches(in: reader)
        let index = try LogIndex.read(from: reader, genesis: branches.chain.genesis)
        let forkedAfter = branches.fork?.parent.sequence ?? .max
        let words = LogWords(index: index, team: branches.chain.team)
        let end = min(before.map { max($0, 1) - 1 } ?? .max, UInt64(index.entries.count))
        let wanted = index.entries.prefix(Int(end)).reversed().lazy.filter { filter.includes($0, in: index) }
        let shown = limit.map { Array(wanted.prefix(max($0, 0))) } ?? Array(wanted)
        let others = try reader.rivals().compactMap { try? LogEntry(bytes: $0.entry) }
          .filter { branches.rivals[$0.hash] != nil }
        return LogPage(
          lines: shown.map { words.line(of: $0, isAfterFork: $0.entry.sequence > forkedAfter) },
          total: index.entries.count,
          next: (shown.last?.entry.sequence).flatMap { $0 > 1 ? $0 : nil },
          headPhrase: branches.chain.headPhrase, fork: branches.fork,
          otherBranches: others.reversed().map { entry in
            words.line(
              of: LogIndex.Entry(entry: entry, statement: try? Statement.parse(entry), isPublished: true),
              isAfterFork: true)
          })
      }
    }
  }
}
