internal import CofferCrypto
internal import CofferFormat
internal import CofferStore
internal import CofferPlatform
internal import CofferSystem
internal import CofferTrust
internal import CofferVault
internal import Dispatch
internal import Synchronization

/// The result of evaluating the records of a segment, or of a chunk of the snapshot.
struct RecordEvaluation {
  /// The number of records that count and were not in the store.
  var validCount = 0
  /// Why records are ignored: their author did not sign them, or they are malformed.
  var faults: [String] = []
  /// The number of records that are refused and were not in the store.
  private(set) var refused: [UnadmittedRecords.Entry: Int] = [:]
  /// The number of records that are refused for good and not kept, because there is no space.
  var droppedCount = 0
  /// Whether the store has every record now that is not invalid, or refused for good.
  var isFinal = true

  /// Counts a record that is new and does not count, unless it waits for an entry of the log that may permit it.
  mutating func add(_ header: RecordHeader, from device: DeviceID?, isPending: Bool, in membership: Membership) {
    guard !isPending || membership.authors[header.author]?.cut(in: header.group) != nil else { return }
    let count = UnadmittedCount(
      author: header.author, group: header.group, device: device, isPending: false, count: 1)
    refused[UnadmittedRecords.Entry(count, in: membership), default: 0] += 1
  }
}

extension SyncPart {
  /// Reports which records arrived, and which are ignored, in the transaction that stores them. `source` says where
  /// they are.
  func report(_ evaluation: RecordEvaluation, from source: String) throws {
    report.recordsReceived += evaluation.validCount
    for fault in evaluation.faults { try reportOnce(.unusable, "a record \(source) is ignored: \(fault)") }
  }
}

/// Imports the records of segments.
extension SegmentImport {
  /// Imports the records of a segment, and what its writer states of streams and of the log, in one transaction with
  /// `storing`, which verifies the segment's place and stores it. If `storing` throws, nothing is imported.
  ///
  /// The records may have been examined before. `isStored` is whether `storing` stores the segment. With `intoOutbox`,
  /// this machine sends the records that it did not have in its own segments: no backup has what is in no segment of
  /// its store. `finality` says which of the records the log will never permit, if the segment does not count because
  /// its machine was revoked; nil for other segments. Returns whether the store has every record now that is not
  /// invalid, or refused for good.
  @discardableResult
  mutating func importRecords(
    of segment: Segment, examined: [Result<ExaminedRecord, FormatError>]? = nil, isStored: Bool,
    intoOutbox: Bool = false, finality: RefusalFinality? = nil, _ storing: (borrowing StoreWriter) throws -> Void
  ) throws -> Bool {
    // Not by drafts: what they would permit has to be refused again if they are discarded.
    let membership = try local.publishedMembership()
    let records = examined ?? ExaminedRecord.examine(segment.records, by: membership)
    let evaluation = try local.store.write { writer in
      try storing(writer)
      let evaluation = try evaluate(
        records, of: segment, isStored: isStored, intoOutbox: intoOutbox, finality: finality, by: membership, writer)
      // In the same transaction, because a segment is imported only once. Missing segments and entries are reported at
      // every later sync.
      try recordSeenPositions(of: segment, writer)
      try recordLogClaim(of: segment, writer)
      try report(evaluation, from: "from \(membership.name(of: segment.device))")
      return evaluation
    }
    refusals.records.merge(evaluation.refused, uniquingKeysWith: +)
    if evaluation.droppedCount > 0 { refusals.droppedCounts[segment.device, default: 0] += evaluation.droppedCount }
    return evaluation.isFinal
  }

  /// Evaluates the records of a segment by the log, and stores those that count. Of the others, the store keeps where
  /// they are, and their contents only if it does not keep the segment. `intoOutbox` and
  /// `finality` are as in ``importRecords(of:examined:isStored:intoOutbox:finality:_:)``.
  func evaluate(
    _ records: [Result<ExaminedRecord, FormatError>], of segment: Segment, isStored: Bool,
    intoOutbox: Bool = false, finality: RefusalFinality? = nil, by membership: Membership,
    _ writer: borrowing StoreWriter
  ) throws -> RecordEvaluation {
    var evaluation = RecordEvaluation()
    let known = isStored ? try writer.removeUnadmitted(in: segment.stream, segment.number) : []
    let followed = try writer.publishedLogLength()
    // A place in the table of this machine's segments would be taken for one in the segment that the store has there.
    let isPlaceTaken = try !isStored && writer.segment(segment.stream, segment.number) != nil
    for (bytes, examined) in zip(segment.records, records) {
      do {
        let examined = try examined.get()
        let record = examined.record
        let header = record.header
        guard header.group == segment.group, !header.isDeviceLocal else {
          throw FormatError(.invalidValue, object: "record", field: "group")
        }
        switch examined.validity(in: membership) {
        case .valid:
          if try writer.insert(record, validity: .valid, intoOutbox: intoOutbox) { evaluation.validCount += 1 }
        case .unknownAuthor, .notEntitled:
          // What a revoked machine states of the log counts for nothing: its records wait for no entry.
          let row = UnadmittedRecord(
            record, in: segment, isAuthentic: membership.authors[header.author] != nil, isClaim: finality == nil)
          let isNew: Bool
          if isStored {
            isNew = try writer.insertUnadmitted(record, row) && !known.contains(row.hash)
          } else {
            // What does not fit is in a segment that every sync examines again, or will never count.
            guard
              try bytes.count <= contentSpace(for: segment.device, writer) || writer.hasUnadmitted(row.hash)
            else {
              if finality?.contains(header, in: membership) == true {
                evaluation.droppedCount += 1
              } else {
                evaluation.isFinal = false
              }
              continue
            }
            isNew = try writer.insertContents(of: record, isPlaceTaken ? nil : row)
            if isNew { useContentSpace(bytes.count, for: segment.device) }
          }
          guard isNew else { continue }
          evaluation.add(header, from: row.device, isPending: row.log > followed, in: membership)
        case .invalid(let reason): evaluation.faults.append(reason)
        }
      } catch let error as FormatError {
        evaluation.faults.append(error.description)
      }
    }
    return evaluation
  }

  /// Keeps the contents of pending and refused records of a segment that is withdrawn, unless another one has them.
  func keepUnadmittedRecords(of segment: Segment, _ writer: borrowing StoreWriter) throws {
    let copies = try writer.removeUnadmitted(in: segment.stream, segment.number)
    guard !copies.isEmpty else { return }
    for bytes in segment.records where try bytes.count <= contentSpace(for: nil, writer) {
      guard let record = try? Record(bytes: bytes), copies.contains(record.copyHash) else { continue }
      if try writer.insertContents(of: record, nil) { useContentSpace(bytes.count, for: nil) }
    }
  }
}

/// Which records of a segment the log will never permit. The segment does not count, because its machine was revoked.
///
/// A record of anybody else may wait for an entry: a registration that gives its author a right, or the next key of its
/// group.
struct RefusalFinality {
  /// Whether the log has not forked. Root may select a branch that does not revoke anybody.
  let isUndisputed: Bool
  /// Whether nothing suggests that the log has entries which this machine does not have.
  let isLogComplete: Bool

  /// Whether a record that the log does not permit is refused for good: its author has lost the right to write the
  /// group, or the log does not know the author. A principal writes only after its entry is on the remote.
  func contains(_ header: RecordHeader, in membership: Membership) -> Bool {
    guard isUndisputed else { return false }
    guard let author = membership.authors[header.author] else { return isLogComplete }
    return author.cut(in: header.group) != nil
  }
}

/// A record that was parsed, and whose signature was verified. Both take most of the time of an import, and depend on
/// nothing in the store.
struct ExaminedRecord: Sendable {
  let record: Record
  /// The key of its author, against which the signature was verified; nil if the log names no such author.
  private let key: VerifyingKey?
  private let isSigned: Bool

  private init(bytes: [UInt8], _ membership: Membership) throws(FormatError) {
    record = try Record(bytes: bytes)
    key = membership.authors[record.header.author]?.keys.verifying
    isSigned = key.map { [record] in record.isSigned(by: $0) } ?? false
  }

  /// Evaluates the record by a membership, as ``Membership/validity(of:isSigned:)``. The signature is verified again
  /// only if this membership has another key for the author.
  func validity(in membership: Membership) -> RecordValidity {
    membership.validity(of: record) { record, key in key == self.key ? isSigned : record.isSigned(by: key) }
  }

  /// Examines records on all processors, and returns them in the same order, with the errors of those that are
  /// malformed. It blocks until all are examined. The membership has the keys of the authors.
  static func examine(
    _ records: [[UInt8]], by membership: Membership
  ) -> [Result<ExaminedRecord, FormatError>] {
    records.concurrentMap { bytes in
      Result { () throws(FormatError) in try ExaminedRecord(bytes: bytes, membership) }
    }
  }
}

extension Array where Element: Sendable {
  /// The results of a function for all elements, in their order. All processors compute them, unless there are few. It
  /// blocks until all are computed. One call should take about as long as verifying a signature.
  ///
  /// The function is marked as escaping for packages that can be built again: for `withoutActuallyEscaping`, the
  /// compiler writes the length of the source file's path into the program.
  func concurrentMap<Result: Sendable>(_ transform: @escaping @Sendable (Element) -> Result) -> [Result] {
    let partLength = 64
    let partCount = (count + partLength - 1) / partLength
    guard partCount > 1 else { return map(transform) }
    let parts = Mutex([Int: [Result]]())
    let step = ImportQueues.all.count + 1
    let compute: @Sendable (Int) -> Void = { first in
      for number in stride(from: first, to: partCount, by: step) {
        let start = number * partLength
        let part = self[start..<Swift.min(start + partLength, count)].map(transform)
        parts.withLock { $0[number] = part }
      }
    }
    let others = DispatchGroup()
    for (number, queue) in ImportQueues.all.enumerated() { queue.async(group: others) { compute(number + 1) } }
    compute(0)
    others.wait()
    return parts.withLock { parts in (0..<partCount).flatMap { parts[$0] ?? [] } }
  }
}

/// The threads on which records are examined beside the caller's.
private enum ImportQueues {
  static let all = (1..<max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1)).map {
    DispatchQueue.serial("examination \($0)")
  }
}
