internal import CofferSystem
package import CofferTrust
package import Foundation

/// An entry of the membership log, in words.
package struct LogLine: Hashable, Sendable {
  /// A fact about an entry.
  package struct Detail: Hashable, Sendable, Encodable {
    package let label: String
    package let value: String
  }

  /// What the entry does, for symbols and filters.
  package enum Kind: String, Hashable, Sendable, Encodable {
    case transportKey, machine, app, principal, groupKey, grant, withdrawal, unknown
  }

  /// The number of the entry, 1 for the first.
  package let number: UInt64
  /// The time by the signer's clock.
  package let time: Date
  package let kind: Kind
  /// The machine whose owner signed it, or "the vault key".
  package let signer: String
  /// What the signer did: "registered the app com.example.notes".
  package let action: String
  /// The hash in hexadecimal.
  package let hash: String
  /// The hash's beginning in words that people can compare.
  package let phrase: String
  /// Whether the remote has the entry. Other entries are unpublished and may be discarded.
  package let isPublished: Bool
  /// Whether the entry is after a fork, so that it counts only when root has selected its branch.
  package let isAfterFork: Bool
  package let details: [Detail]

  /// Who did what, as a sentence.
  package var sentence: String { "\(signer.startingSentence) \(action)." }
}

/// A part of the membership log, newest entry first.
package struct LogPage: Hashable, Sendable {
  /// The lines in descending order of their numbers.
  package let lines: [LogLine]
  /// The number of entries in the log.
  package let total: Int
  /// Pass this to the next call for the entries before these; nil if there are none.
  package let next: UInt64?
  /// The fork of the log; nil if there is none.
  package let fork: LogFork?
  /// The entries of other branches, in descending order of their numbers.
  package let otherBranches: [LogLine]
}
