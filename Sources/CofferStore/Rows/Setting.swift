/// The name of a value that belongs to this machine's copy of the vault and never travels.
package struct Setting: RawRepresentable, Hashable, Sendable {
  package let rawValue: String
  package init(rawValue: String) { self.rawValue = rawValue }

  /// Where the vault syncs to, UTF-8.
  package static let remoteURL = Setting(rawValue: "remote-url")
  /// The remote branch's commit at the last sync.
  package static let remoteTip = Setting(rawValue: "remote-tip")
  /// When the last sync ended.
  package static let lastSync = Setting(rawValue: "last-sync")
  /// The stream that this machine writes.
  package static let ownStream = Setting(rawValue: "own-stream")
  /// The last entry of the log by which pending records were judged.
  package static let judgedLog = Setting(rawValue: "judged-log")
  /// What other machines say they have read at the remote and this one has not found there.
  package static let missingSegments = Setting(rawValue: "missing-segments")
}
