internal import CofferFormat
internal import CofferGit
internal import CofferTrust
internal import Dispatch
internal import Synchronization

/// The segment that is imported next. Its records are examined on other processors while the one before it is stored, so
/// that a long import takes the longer of both times, not their sum.
final class UpcomingSegment: Sendable {
  /// Its file at the remote.
  let blob: ObjectID
  let envelope: Envelope
  /// The segment. Its import verifies its place.
  let segment: Segment
  private let examined = Mutex<[Result<ExaminedRecord, FormatError>]?>(nil)
  private let examination = DispatchGroup()

  init(blob: ObjectID, envelope: Envelope, segment: Segment) {
    self.blob = blob
    self.envelope = envelope
    self.segment = segment
  }

  /// Begins to examine the records, unless they are so few that another thread would not help.
  func examineRecords(by membership: Membership) {
    guard segment.records.count >= Self.minimumRecordCount else { return }
    DispatchQueue.global().async(group: examination) { [self] in
      let records = ExaminedRecord.examine(segment.records, by: membership)
      examined.withLock { $0 = records }
    }
  }

  /// Waits until all records are examined. Returns nil if the examination was not begun.
  func examinedRecords() -> [Result<ExaminedRecord, FormatError>]? {
    examination.wait()
    return examined.withLock { $0 }
  }

  private static let minimumRecordCount = 16
  /// The size of a file up to which a segment is opened before it is imported: two of the largest ones would take much memory.
  static let maximumByteCount = 8 << 20
}
