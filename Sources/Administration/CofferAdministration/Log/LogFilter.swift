internal import Coffer
internal import CofferFormat

/// Which entries of the membership log a reader wants.
package struct LogFilter: Hashable, Sendable {
  /// The wanted kinds; all if it is empty.
  package var kinds: Set<LogLine.Kind>
  /// Whose entries are wanted: a machine's name, or the words for a signer, such as "the vault key"; nil for everybody's.
  package var signer: String?

  package init(kinds: Set<LogLine.Kind> = [], signer: String? = nil) {
    self.kinds = kinds
    self.signer = signer
  }

  /// Whether an entry is wanted.
  func includes(_ entry: LogIndex.Entry, in index: LogIndex) -> Bool {
    (kinds.isEmpty || kinds.contains(LogLine.Kind(entry.statement)))
      && (signer == nil || signer == index.signer(of: entry.entry) || signer == index.signerMachine(of: entry.entry))
  }
}

extension LogLine.Kind {
  /// Creates the kind of a statement; nil is one that this program does not know.
  init(_ statement: Statement?) {
    self =
      switch statement {
      case .transportKey: .transportKey
      case .device, .appointment, .deviceName: .machine
      case .app: .app
      case .principal: .principal
      case .groupKey, .groupKeyRenewal: .groupKey
      case .groupRequirement: .requirement
      case .revocation: .revocation
      case .grant: .grant
      case .succession: .succession
      case .withdrawal: .withdrawal
      case .resolution: .resolution
      case .dismissal: .dismissal
      case nil: .unknown
      }
  }
}
