internal import Coffer
public import CofferPlatform
internal import CofferSystem

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
