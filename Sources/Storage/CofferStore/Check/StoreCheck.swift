internal import CofferCrypto
package import CofferFormat

/// Compares every row of the store with the signed objects that the store holds and, in a write transaction, makes the
/// rows equal to them.
///
/// It reads one object at a time and keeps about 300 bytes for each record. It is valid inside the transaction that it
/// was created in.
package final class StoreCheck {
  let connection: StoreConnection
  let context: CheckContext
  /// True in a write transaction: differences are repaired.
  let isRepairing: Bool
  package internal(set) var differences = StoreDifferences()
  /// True if the records that are in no segment are known.
  package internal(set) var isOutboxKnown = true

  /// A stored record, by its signed bytes; a pruned one by its columns.
  struct Fact {
    let hash: RecordHash
    let group: GroupID
    var validity: Int64
    let isDeviceLocal: Bool
    /// The time of the record; 0 for a pruned one.
    let time: Int64
    let itemClass: Int64
    let isTombstone: Bool
    /// Not known of a pruned record, which is in no list.
    let place: ListPlace
    let bases: [RecordHash]

    var item: ItemID { place.item }
  }

  /// The rows of `record`, by number.
  var facts: [Int64: Fact] = [:]
  /// The rows of valid and pruned records, by hash.
  var rows: [RecordHash: Int64] = [:]
  /// The hashes of all bytes of the pending and refused records whose contents are kept.
  var keptCopies: Set<RecordHash> = []
  /// The places of pending and refused records by the segments, with the hash of the record.
  var unadmitted: [UnadmittedRecord: RecordHash] = [:]
  /// The hashes of all bytes of these records.
  var unadmittedCopies: Set<RecordHash> = []
  /// The segment in which a record was found, by the number of its row, or the chunk of the snapshot.
  var sealed: [RecordHash: Container] = [:]
  /// The records of chunks of the next epoch, which may be in no segment.
  var nextRecords: Set<RecordHash> = []
  /// The last log position that a segment names.
  package internal(set) var claimedLog: UInt64 = 0
  /// The damaged segments, which are deleted at the end.
  var cutSegments: [Int64] = []
  /// The streams with damaged segments.
  var brokenStreams: Set<StreamID> = []
  /// The last segment of each stream.
  var streamEnds: [StreamID: StreamEnd] = [:]
  /// The farthest positions that own segments have reported.
  var reported: [StreamID: UInt64] = [:]
  /// The pruned records whose row was compared with their segment.
  var comparedPruned: Set<RecordHash> = []
  /// The rows of pruned versions that are device-local.
  var prunedLocalRows: Set<Int64> = []
  /// The rows whose contents this check has restored.
  var restored: Set<Int64> = []
  /// The number of rows of `record` that this check has removed, or would remove.
  var removedCount = 0
  /// The number of rows of `record` that a repair would add.
  var restorableCount = 0
  /// The last segment that was opened to restore a record, and its records.
  var opened: (container: Container, records: [RecordHash: Record])?
  /// Rows whose column `hash` is wrong, with the right hash.
  var wrongHashes: [(row: Int64, hash: RecordHash)] = []
  private var stepsDone = 0
  private var stepsTotal = 0

  /// An object that contains records.
  enum Container: Hashable {
    case segment(row: Int64)
    case chunk(UInt32)

    /// The order in which records are restored: those of the snapshot first.
    var order: Int64 {
      switch self {
      case .segment(let row): row
      case .chunk(let number): Int64(number) - .max
      }
    }
  }

  struct StreamEnd {
    let number: UInt64
    let hash: SegmentHash
    let device: DeviceID

    /// Whether a later segment of the stream can follow: it must name this one if nothing is between them.
    func isFollowed(by segment: Segment) -> Bool {
      segment.device == device && (segment.number > number + 1 || segment.previous == hash)
    }
  }

  /// Checks without writing.
  package init(_ reader: borrowing StoreReader, _ context: CheckContext) {
    connection = reader.connection
    self.context = context
    isRepairing = false
  }

  /// Checks and repairs.
  package init(_ writer: borrowing StoreWriter, _ context: CheckContext) {
    connection = writer.connection
    self.context = context
    isRepairing = true
  }

  /// Runs the check. The differences are repaired if the check was created with a writer. Throws
  /// ``StoreError/Code/corrupt`` if the database is damaged so far that its rows cannot be read.
  package func run() throws(StoreError) -> StoreDifferences {
    try checkDatabase()
    let last = try reader.lastNumber()
    stepsTotal =
      Int(
        try connection.integer("SELECT (SELECT count(*) FROM segment) + 2 * (SELECT count(*) FROM record)") ?? 0)
    try checkSnapshot()
    try checkSegments()
    try checkRecords()
    try restoreMissingRecords()
    try checkPrunedRecords()
    try checkSurplusSkeletons()
    try checkUnadmitted()
    let covered = coveredRecords()
    let coveredElsewhere = coveredRecords(onOtherMachines: true)
    try checkDerivedRows(covered)
    try checkStreams()
    try checkOutbox(coveredElsewhere)
    if let count = context.recordCount {
      let lost = count - facts.count - restorableCount - removedCount
      add(lost, "versions are missing, and in no segment", in: "record", .lost)
    }
    // A repair changes rows in place, and removes some.
    if isRepairing && !differences.isEmpty { try StoreWriter(connection: connection).recordUnlistedChange(after: last) }
    return differences
  }

  var reader: StoreReader { StoreReader(connection: connection) }

  /// Whether the log may be longer than the store's.
  var isLogComplete: Bool { context.isLogSound && claimedLog <= context.logLength }

  func add(_ difference: StoreDifference) { differences.add(difference) }

  /// Adds the difference of some rows or objects, if there are any.
  func add(_ count: Int, _ problem: String, in table: String, _ remedy: StoreDifference.Remedy = .derived) {
    if count > 0 { add(StoreDifference(table, "\(count) \(problem)", remedy, count: count)) }
  }

  func step() {
    stepsDone += 1
    if stepsDone.isMultiple(of: 64) { context.progress(stepsDone, max(stepsTotal, stepsDone)) }
  }

  /// Runs a statement if the check repairs.
  func repair(_ sql: String, _ values: [SQLValue]) throws(StoreError) {
    if isRepairing { try connection.run(sql, values) }
  }

  /// Returns the numbers of the next rows of a table after `last`, in ascending order.
  func page(of table: String, after last: Int64?) throws(StoreError) -> [Int64] {
    let condition = last == nil ? "" : "WHERE rowid > ?1"
    return try connection.rows(
      "SELECT rowid FROM \(table) \(condition) ORDER BY rowid LIMIT 512", last.map { [.integer($0)] } ?? []
    ) { (row) throws(StoreError) in
      row.integer(0)
    }
  }

  /// Checks pages and indexes. Indexes that contradict their table are built anew.
  private func checkDatabase() throws(StoreError) {
    if try connection.text("PRAGMA integrity_check(1)") == "ok" { return }
    add(StoreDifference("database", "an index does not match its table", .derived))
    guard isRepairing else { return }
    try connection.run("REINDEX")
    guard try connection.text("PRAGMA integrity_check(1)") == "ok" else {
      throw connection.failure(.corrupt, StoreError.damaged)
    }
  }
}

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
