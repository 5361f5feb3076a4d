public import Coffer
internal import CofferFormat
public import CofferPlatform
internal import CofferStore
internal import CofferSystem
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
  /// The phrase of the last entry, or of the genesis of an empty log: machines that show the same phrase have the same
  /// log.
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
        let others = try reader.competingEntries().compactMap { try? LogEntry(bytes: $0.entry) }
          .filter { branches.competingEntries[$0.hash] != nil }
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

/// An entry of the membership log, in words.
public struct LogLine: Hashable, Sendable {
  /// A fact about an entry.
  public struct Detail: Hashable, Sendable, Encodable {
    /// The name of the fact, for a table: "App".
    public let label: String
    /// The text. Names are as they were signed: escape them for a terminal or a page.
    public let value: String
  }

  /// What the entry does, for symbols and filters.
  package enum Kind: String, Hashable, Sendable, Encodable, CaseIterable {
    case transportKey, machine, app, principal, groupKey, grant, revocation, succession, resolution, withdrawal
    case dismissal, requirement, unknown
  }

  /// The number of the entry, 1 for the first.
  public let number: UInt64
  /// The time by the signer's clock.
  public let time: Date
  package let kind: Kind
  /// Who signed it: "the owner on laptop", or "the vault key".
  public let signer: String
  /// The name of the machine whose owner signed it; nil for the vault key.
  public let signerMachine: String?
  /// The identifier of this machine in hexadecimal; nil for the vault key and for an unknown machine.
  package let signerMachineID: String?
  /// What the signer did: "registered the app com.example.notes".
  public let action: String
  /// The hash in hexadecimal.
  public let hash: String
  /// The hash's beginning in words that people can compare.
  public let phrase: String
  /// Whether the remote has the entry. Other entries are unpublished and may be discarded.
  public let isPublished: Bool
  /// Whether the entry is after a fork, so that it counts only when root has selected its branch.
  public let isAfterFork: Bool
  /// Facts about the entry: names, rights and recipients.
  public let details: [Detail]

  /// Who did what, as a sentence.
  public var sentence: String { "\(signer.startingSentence) \(action)." }
}

extension Vault {
  /// Returns a part of a vault's membership log in words, newest entry first: who did what when, and who signed it. No
  /// passphrase is needed.
  ///
  /// - Parameters:
  ///   - location: The vault's location; the user's own vault (``VaultLocation/standard()``) if nil.
  ///   - before: The entries before this number; nil for the last ones.
  ///   - limit: The maximum number of entries.
  /// - Returns: The page. ``LogPage/next`` continues it.
  /// - Throws: ``VaultError``: `noVault`; `integrity` for a log that is not valid, which ``verifyLog(at:)`` describes.
  public static func log(
    at location: VaultLocation? = nil, before: UInt64? = nil, limit: Int = 50
  ) throws(VaultError) -> LogPage {
    return try LogPage.read(from: LocalVault.openForReading(at: location), before: before, limit: limit)
  }

  /// Verifies a vault's membership log from its genesis on, without anything that this machine has computed before:
  /// every signature, hash, place and statement, and that the log contains the entries that machines and apps have
  /// seen. The time grows with the number of entries and segments: about 0.1 ms for each.
  ///
  /// - Parameter location: The vault's location; the user's own vault (``VaultLocation/standard()``) if nil.
  /// - Returns: How many entries are valid, and what is wrong.
  /// - Throws: ``VaultError``: `noVault`; `integrity` if the store belongs to another vault than this machine's keys,
  ///   or cannot be read at all.
  public static func verifyLog(at location: VaultLocation? = nil) throws(VaultError) -> LogVerification {
    return try LogVerification.run(in: .at(location))
  }
}
