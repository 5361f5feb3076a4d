internal import CofferCrypto
internal import CofferFormat
internal import CofferPlatform
internal import CofferSystem
internal import Synchronization

/// Knows whether the rows of a store are those of its summary without reading them: if they were at some time, and only
/// Coffer's programs have written since.
///
/// The program that closes a store seals the state of its file into a stamp beside it. The next program that opens the
/// store finds the same state, unless another program has written to the file in between. While a store is open, SQLite
/// tells whether another connection has committed. What is written past SQLite meanwhile is found by the next
/// comparison of all rows, of which there is one each day.
///
/// A sync adds a note to the stamp, which the next one trusts as long as nobody has written to the store since.
final class StoreStamp: Sendable {
  private enum Knowledge {
    /// Nothing was examined yet.
    case none
    /// The rows may differ.
    case unverified
    /// The rows are those of the summary, as long as SQLite's data version is unchanged.
    case verified(version: Int64, compared: Int64, key: SymmetricKey)
  }

  private struct State {
    var knowledge = Knowledge.none
    /// Whether this connection has written, or compared all rows, since the stamp was read.
    var isOutdated = false
    /// Whether the knowledge is about rows that are not committed yet.
    var isTentative = false
    /// The note of this connection about the rows; nil if it has none, or has written since.
    var note: [UInt8]?
  }

  private let storePath: String
  private let state = Mutex(State())

  /// The seconds after which all rows are compared in any case.
  private static let validity: Int64 = 86_400
  private static let associated = Array("store stamp 1".utf8)
  private static let byteCount = SymmetricKey.overheadByteCount + 8 * (FileState.fieldCount + 1)
  private static let maximumNoteByteCount = 8_192

  init(storePath: String) { self.storePath = storePath }

  /// The name does not begin with that of the store: programs that wait for writes to the store would wake.
  private var path: String { StoreError.folder(of: storePath) + "/store-stamp" }

  /// Adds a note to the stamp that ``save(_:)`` writes, unless anybody writes to the store before. A long one is
  /// ignored.
  func setNote(_ note: [UInt8]) {
    guard note.count <= Self.maximumNoteByteCount else { return }
    state.withLock { state in
      state.note = note
      state.isOutdated = true
    }
  }

  /// Returns the note of the stamp if the store's file is unchanged since; nil also if there is none.
  func readNote(_ key: () -> SymmetricKey?) -> [UInt8]? {
    guard let sealed = readStamp(), sealed.count > Self.byteCount, let key = key() else { return nil }
    return contents(sealed, key)?.note
  }

  /// Whether nothing was examined yet.
  var isUnexamined: Bool {
    state.withLock { if case .none = $0.knowledge { true } else { false } }
  }

  /// Examines the stamp in a transaction, unless something was examined before, and returns whether the rows are those
  /// of the summary: false also if that is not known. The key is asked only if there is a stamp.
  @discardableResult
  func examine(_ connection: StoreConnection, _ key: () -> SymmetricKey?) throws(StoreError) -> Bool {
    guard isUnexamined else { return false }
    // Before the file is examined: a commit in between then shows in the file.
    let version = try Self.dataVersion(connection)
    var knowledge = Knowledge.unverified
    if let sealed = readStamp(), let key = key(), let (compared, _) = contents(sealed, key) {
      knowledge = .verified(version: version, compared: compared, key: key)
    }
    state.withLock { [knowledge] in $0.knowledge = knowledge }
    return if case .verified = knowledge { true } else { false }
  }

  /// Returns when all rows were compared last, and the note; nil if that was too long ago, or if the stamp is not that
  /// of the file.
  private func contents(_ sealed: [UInt8], _ key: SymmetricKey) -> (compared: Int64, note: [UInt8])? {
    guard let plain = try? key.open(sealed, associated: Self.associated) else { return nil }
    var reader = ByteReader(plain, object: "stamp")
    var fields: [Int64] = []
    for _ in 0..<FileState.fieldCount { fields.append((try? reader.i64("state")) ?? 0) }
    guard let compared = try? reader.i64("time"), let note = try? reader.fixed(reader.remaining, "note"),
      (0..<Self.validity).contains(Self.now - compared),
      FileState.read(storePath) == FileState(fields: fields)
    else { return nil }
    return (compared, note)
  }

  /// Records that all rows were compared in this transaction and are those of the summary, or that the summary was
  /// written anew. With `isTentative`, the transaction may still be rolled back.
  func recordComparison(
    _ connection: StoreConnection, _ key: SymmetricKey, isTentative: Bool
  ) throws(StoreError) {
    let (version, now) = (try Self.dataVersion(connection), Self.now)
    state.withLock { state in
      state.knowledge = .verified(version: version, compared: now, key: key)
      state.isOutdated = true
      state.isTentative = isTentative
    }
  }

  /// Records a commit of this connection. With `keepsSummary`, changes of rows were recorded in the summary. Otherwise
  /// the rows are known only if the transaction has written the summary anew, after its other changes.
  func recordCommit(keepsSummary: Bool) {
    state.withLock { state in
      if !keepsSummary && !state.isTentative { state.knowledge = .unverified }
      state.isOutdated = true
      state.isTentative = false
      state.note = nil
    }
  }

  /// Records that a transaction of this connection was undone.
  func recordRollback() {
    state.withLock { state in
      if state.isTentative { state.knowledge = .unverified }
      state.isTentative = false
    }
  }

  /// Writes the stamp, before the connection is closed. Without one, the next comparison reads all rows.
  func save(_ connection: StoreConnection) {
    guard
      case (.verified(let version, let compared, let key), true, let note) =
        state.withLock({ ($0.knowledge, $0.isOutdated, $0.note) }),
      (try? connection.moveLogIntoFile()) != nil, let file = FileState.mark(storePath),
      // After the file was examined: a later commit changes the file, or begins another write-ahead log.
      (try? Self.dataVersion(connection)) == version
    else { return }
    var writer = ByteWriter()
    for field in file.fields { writer.i64(field) }
    writer.i64(compared)
    writer.fixed(note ?? [])
    writeStamp(key.seal(writer.bytes, associated: Self.associated))
  }

  private static func dataVersion(_ connection: StoreConnection) throws(StoreError) -> Int64 {
    // Not the frequent statement, which keeps the transaction of a read.
    try connection.integer("PRAGMA data_version") ?? -1
  }

  /// In seconds.
  private static var now: Int64 { WallClock.now / 1_000_000 }

  // MARK: The file

  private func readStamp() -> [UInt8]? {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    // One more byte: a larger file is no stamp.
    var bytes = [UInt8](repeating: 0, count: Self.byteCount + Self.maximumNoteByteCount + 1)
    let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
    return (Self.byteCount..<bytes.count).contains(count) ? Array(bytes.prefix(count)) : nil
  }

  /// Writes the stamp in its place. One that is written in part, or by two programs, does not open.
  private func writeStamp(_ bytes: [UInt8]) {
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard file >= 0 else { return }
    defer { close(file) }
    _ = unsafe bytes.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
  }
}

extension StoreConnection {
  /// Moves the write-ahead log into the store's file, without waiting for other programs.
  func moveLogIntoFile() throws(StoreError) {
    try withoutWaiting { () throws(StoreError) in try run("PRAGMA wal_checkpoint(TRUNCATE)") }
  }
}

/// What the file system says about the file of a store. Every later write to the file changes it.
struct FileState: Equatable, Sendable {
  /// The device, the file's number on it, its size, and the seconds and nanoseconds of its last modification and
  /// change.
  let fields: [Int64]

  static let fieldCount = 7

  /// Reads the state of a store's file. Returns nil if a part of the store is in a write-ahead log or a journal, or if
  /// the file cannot be examined.
  static func read(_ path: String) -> FileState? {
    for suffix in ["-wal", "-journal"] {
      guard let size = information(path + suffix)?.st_size else {
        guard errno == ENOENT else { return nil }
        continue
      }
      guard size == 0 else { return nil }
    }
    guard let file = information(path), file.st_mode & S_IFMT == S_IFREG else { return nil }
    let (modified, changed) = times(file)
    return FileState(fields: [
      Int64(truncatingIfNeeded: file.st_dev), Int64(truncatingIfNeeded: file.st_ino), Int64(file.st_size),
      Int64(modified.tv_sec), Int64(modified.tv_nsec), Int64(changed.tv_sec), Int64(changed.tv_nsec),
    ])
  }

  /// Gives the file a time of modification that no write gives it, then reads its state. Otherwise a write within the
  /// same tick of the system's clock would leave no trace. Returns nil as ``read(_:)`` does, and if the file system
  /// does not keep the time.
  static func mark(_ path: String) -> FileState? {
    var now = timespec()
    guard unsafe clock_gettime(CLOCK_REALTIME, &now) == 0 else { return nil }
    let mark = timespec(tv_sec: now.tv_sec, tv_nsec: .random(in: 1..<1_000_000_000))
    #if canImport(Darwin)
      let omitted = Int(UTIME_OMIT)
    #else
      // A macro that Swift does not import.
      let omitted = (1 << 30) - 2
    #endif
    let times = [timespec(tv_sec: 0, tv_nsec: omitted), mark]
    guard unsafe utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW) == 0, let state = read(path),
      state.fields[3] == Int64(mark.tv_sec), state.fields[4] == Int64(mark.tv_nsec)
    else { return nil }
    return state
  }

  private static func information(_ path: String) -> stat? {
    var information = stat()
    return unsafe lstat(path, &information) == 0 ? information : nil
  }

  private static func times(_ file: stat) -> (modified: timespec, changed: timespec) {
    #if canImport(Darwin)
      (file.st_mtimespec, file.st_ctimespec)
    #else
      (file.st_mtim, file.st_ctim)
    #endif
  }
}
