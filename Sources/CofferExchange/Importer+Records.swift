internal import CofferFormat
internal import CofferStore
internal import CofferTrust
internal import CofferVault

/// Imports the records of segments.
extension Importer {
  /// The result of evaluating the records of one segment.
  struct Evaluation {
    /// The number of records that count and were not in the store.
    var validCount = 0
    /// Why records are ignored: their author did not sign them, or they are malformed.
    var faults: [String] = []
    /// The number of records that are refused and were not in the store.
    var refused: [UnadmittedRecords.Entry: Int] = [:]
    /// Whether the store has every record now that is not invalid.
    var isWhole = true
  }

  /// Imports the records of a segment, and what its writer states of streams and of the log, in one transaction with
  /// `storing`, which verifies the segment's place and stores it.
  ///
  /// - Parameters:
  ///   - segment: The segment.
  ///   - examined: Its records, if they were examined before.
  ///   - isStored: Whether `storing` stores the segment.
  ///   - storing: Stores the segment.
  /// - Returns: Whether the store has every record now that is not invalid.
  /// - Throws: The errors of `storing` and of the store. Nothing is imported then.
  @discardableResult
  mutating func importRecords(
    of segment: Segment, examined: [Result<ExaminedRecord, FormatError>]? = nil, isStored: Bool,
    _ storing: (borrowing StoreWriter) throws -> Void
  ) throws -> Bool {
    // Not by drafts: what they would permit has to be refused again if they are discarded.
    let membership = try local.settledMembership()
    let records = examined ?? ExaminedRecord.examine(segment.records, by: membership)
    let evaluation = try local.store.write { writer in
      try storing(writer)
      let evaluation = try evaluate(records, of: segment, isStored: isStored, by: membership, writer)
      // In the same transaction, because a segment is imported only once. Missing segments and entries are reported at
      // every later sync.
      try recordSeenPositions(of: segment, writer)
      try recordLogClaim(of: segment, writer)
      return evaluation
    }
    report.recordsReceived += evaluation.validCount
    let machine = membership.name(of: segment.device)
    for fault in evaluation.faults { report.add("a record from \(machine) is ignored: \(fault)") }
    newlyRefused.merge(evaluation.refused, uniquingKeysWith: +)
    return evaluation.isWhole
  }

  /// Evaluates the records of a segment by the log, and stores those that count. Of the others, the store keeps where they
  /// are, and their contents only if it does not keep the segment.
  ///
  /// - Parameters:
  ///   - records: The records of the segment.
  ///   - segment: The segment.
  ///   - isStored: Whether the store has the segment.
  ///   - membership: The membership.
  ///   - writer: The transaction.
  /// - Returns: What was found.
  /// - Throws: The errors of the store.
  func evaluate(
    _ records: [Result<ExaminedRecord, FormatError>], of segment: Segment, isStored: Bool, by membership: Membership,
    _ writer: borrowing StoreWriter
  ) throws -> Evaluation {
    var evaluation = Evaluation()
    let known = isStored ? try writer.removeUnadmitted(in: segment.stream, segment.number) : []
    let followed = try writer.publishedLogLength()
    // A place in the table of this machine's segments would be taken for one in the segment that the store has there.
    let isPlaceTaken = try !isStored && writer.segment(segment.stream, segment.number) != nil
    var space: Int?
    for (bytes, examined) in zip(segment.records, records) {
      do {
        let examined = try examined.get()
        let record = examined.record
        let header = record.header
        guard header.group == segment.group, !header.isDeviceLocal else {
          throw FormatError(.invalidValue, object: "record", field: "group")
        }
        switch examined.standing(in: membership) {
        case .valid:
          if try writer.insert(record, standing: .valid, intoOutbox: false) { evaluation.validCount += 1 }
        case .unknownAuthor, .notEntitled:
          let row = UnadmittedRecord(
            record, in: segment, isAuthentic: membership.authors[header.author] != nil)
          let isNew: Bool
          if isStored {
            isNew = try writer.insertUnadmitted(record, row) && !known.contains(row.hash)
          } else {
            // What does not fit is in a segment that every sync examines again.
            let free = try space ?? contentSpace(for: segment.device, writer)
            space = free
            guard bytes.count <= free else {
              evaluation.isWhole = false
              continue
            }
            isNew = try writer.insertContents(of: record, isPlaceTaken ? nil : row)
            if isNew { space = free - bytes.count }
          }
          let isCutOff = membership.authors[row.author]?.cut(in: row.group) != nil
          guard isNew, row.log <= followed || isCutOff else { continue }
          let count = UnadmittedCount(
            author: row.author, group: row.group, device: row.device, isPending: false, count: 1)
          evaluation.refused[UnadmittedRecords.Entry(count, in: membership), default: 0] += 1
        case .invalid(let reason): evaluation.faults.append(reason)
        }
      } catch let error as FormatError {
        evaluation.faults.append(error.description)
      }
    }
    return evaluation
  }

  /// Returns how many bytes of contents may still be kept of records in a machine's segments, or of withdrawn ones if no
  /// machine is given.
  func contentSpace(
    for device: DeviceID?, _ writer: borrowing StoreWriter
  ) throws(StoreError) -> Int {
    let free = Limits.unadmittedByteCount - (try writer.unadmittedByteCount())
    guard let device else { return free }
    return min(free, unadmittedByteLimit - (try writer.unadmittedByteCount(from: device)))
  }

  /// Keeps the contents of pending and refused records of a segment that is withdrawn, unless another one has them.
  func keepUnadmittedRecords(of segment: Segment, _ writer: borrowing StoreWriter) throws {
    let copies = try writer.removeUnadmitted(in: segment.stream, segment.number)
    guard !copies.isEmpty else { return }
    var space = try contentSpace(for: nil, writer)
    for bytes in segment.records where bytes.count <= space {
      guard let record = try? Record(bytes: bytes), copies.contains(record.copyHash) else { continue }
      if try writer.insertContents(of: record, nil) { space -= bytes.count }
    }
  }

  /// Reports the records that this sync has found refused, by author.
  mutating func reportRefusedRecords() {
    for entry in UnadmittedRecords(newlyRefused).entries { report.add("refused \(entry.words)") }
    newlyRefused = [:]
  }
}
