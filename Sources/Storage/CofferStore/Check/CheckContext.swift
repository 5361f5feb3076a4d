package import CofferFormat

/// What a check of the store needs to know of the vault: how to open segments, and what the membership log says.
package struct CheckContext {
  /// What the log says of a record.
  package enum Verdict: Hashable, Sendable {
    case valid
    /// The log does not permit the record, or not yet: it is pending or refused.
    case unadmitted
    /// Its author did not sign it.
    case invalid
  }

  /// Opens an envelope with the transport keys, and verifies the segment's signature. Returns nil if it is not valid.
  package let openSegment: ([UInt8]) -> Segment?
  /// Evaluates a record by the log.
  package let verdict: (Record) -> Verdict
  /// Whether the log permits a record if its author signed it, without a check of the signature.
  package let permits: (Record) -> Bool
  /// Whether a version without contents is signed by an author of the log.
  package let isGenuine: (RecordSkeleton) -> Bool
  /// The epoch that this machine follows.
  package let epoch: Epoch
  /// Whether the log contains an author.
  package let isAuthor: (AuthorID) -> Bool
  /// Whether what a machine's segments state about the log counts.
  package let mayClaim: (DeviceID) -> Bool
  package let device: DeviceID
  /// The number of the last valid log entry.
  package let logLength: UInt64
  /// False if entries of the log are known to be missing.
  package let isLogSound: Bool
  /// True if the unadmitted records were validated against the last entry of the log.
  package let isRevalidated: Bool
  /// True if the segments may be incomplete until the next sync, so that it is unknown which records are in none.
  package let awaitsSegments: Bool
  /// True if the remote has just been imported: a segment that is missing still will not come.
  package let isImportComplete: Bool
  /// The number of records by the summary; nil if the store has none.
  package let recordCount: Int?
  /// Versions that were superseded before are not kept.
  package let historyStart: Timestamp
  /// Is called with the number of objects that were read, and the number of all.
  package let progress: (Int, Int) -> Void

  /// The epoch that a machine follows.
  package struct Epoch {
    package let number: UInt32
    /// The checkpoint that begins it; nil for the first epoch, and if the store does not have it.
    package let checkpoint: Checkpoint?

    package init(number: UInt32, checkpoint: Checkpoint?) {
      self.number = number
      self.checkpoint = checkpoint
    }

    /// Whether it is known which segments the snapshot covers.
    var isKnown: Bool { number < Checkpoint.firstEpoch || checkpoint != nil }
  }

  package init(
    openSegment: @escaping ([UInt8]) -> Segment?, verdict: @escaping (Record) -> Verdict,
    permits: @escaping (Record) -> Bool, isGenuine: @escaping (RecordSkeleton) -> Bool, epoch: Epoch,
    isAuthor: @escaping (AuthorID) -> Bool,
    mayClaim: @escaping (DeviceID) -> Bool, device: DeviceID, logLength: UInt64, isLogSound: Bool, isRevalidated: Bool,
    awaitsSegments: Bool,
    isImportComplete: Bool, recordCount: Int?, historyStart: Timestamp, progress: @escaping (Int, Int) -> Void
  ) {
    self.openSegment = openSegment
    self.verdict = verdict
    self.permits = permits
    self.isGenuine = isGenuine
    self.epoch = epoch
    self.isAuthor = isAuthor
    self.mayClaim = mayClaim
    self.device = device
    self.logLength = logLength
    self.isLogSound = isLogSound
    self.isRevalidated = isRevalidated
    self.awaitsSegments = awaitsSegments
    self.isImportComplete = isImportComplete
    self.recordCount = recordCount
    self.historyStart = historyStart
    self.progress = progress
  }
}
