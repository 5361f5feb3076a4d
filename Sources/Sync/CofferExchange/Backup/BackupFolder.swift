internal import CofferCrypto
internal import CofferFormat
internal import CofferGit
internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

/// A folder to which one machine adds backups, and in which only the newest of them stay.
struct BackupFolder {
  let path: String

  static let prefix = "coffer-"
  static let suffix = ".backup"

  /// Checks that the folder exists. Throws `invalidArgument` if it does not: a disk that is not there must not become a
  /// folder of the disk below.
  func check() throws(VaultError) {
    var status = stat()
    guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw VaultError(
        .invalidArgument, "there is no folder \(path)",
        recoverySuggestion: "mount its disk, or create the folder; nothing was written")
    }
  }

  /// The path of a new backup of a vault. No other program has the name, and files sort by it.
  func newFile(of vault: VaultID, at time: Timestamp) -> String {
    let name = "\(vault.description.prefix(8))-\(time.date.utcStamp)-\(hexadecimal(Random.bytes(count: 2)))"
    return "\(path)/\(Self.prefix)\(name)\(Self.suffix)"
  }

  /// Deletes the backups of a machine that are older than `newest`, made at `time`, apart from the newest of them, so
  /// that `count` stay. Their age is what their statements say, not their names or dates. What this machine has not
  /// signed, what is not complete, what is of the future, and what cannot be read stays and does not count. `parent` is
  /// a folder for temporary files. Returns what is to be known of these, a line each.
  func prune(
    keeping count: Int, newest: String, of time: Date, of device: DeviceID, signedBy key: VerifyingKey, in parent: URL,
    cancellation: Cancellation
  ) throws -> [String] {
    let scratch = try TemporaryFolder.create(in: parent)
    defer { scratch.remove() }
    var found: [(path: String, time: Timestamp)] = []
    var notes: [String] = []
    for name in try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    where name.hasPrefix(Self.prefix) && name.hasSuffix(Self.suffix) {
      let file = "\(path)/\(name)"
      guard file != newest, (try? RegularFile.open(file, followsLinks: false)) != nil else { continue }
      let repository = scratch.path("read.git")
      try? removeTree(repository)
      do throws(VaultError) {
        let statement = try BackupUnpacking(cancellation: cancellation).unpack(file, into: repository).statement
        guard statement.device == device, statement.isSigned(by: key), statement.contents.isComplete else { continue }
        guard statement.contents.time.date.timeIntervalSinceNow < Self.clockTolerance else {
          notes.append("\(file) says that it was made in the future, and stays")
          continue
        }
        // Another run of this machine may add one at the same time, and keeps its own.
        if statement.contents.time.date < time { found.append((file, statement.contents.time)) }
      } catch {
        if cancellation.isCancelled { throw error }
        // Another program's file is none of this machine's.
        if error.code != .invalidArgument { notes.append("\(error.message); it stays") }
      }
    }
    for (file, _) in found.sorted(by: { $0.time > $1.time }).dropFirst(max(count - 1, 0)) {
      guard unsafe unlink(file) == 0 || errno == ENOENT else { throw systemFailure("delete \(file)") }
    }
    try SecretFile.syncFolder(path)
    return notes
  }

  /// How far the clock of this machine may go back, in seconds.
  private static let clockTolerance = 3_600.0
}

extension Date {
  /// The moment in UTC for the name of a file: `20261125T232130Z`.
  fileprivate var utcStamp: String {
    let text = formatted(.iso8601)
    return text.filter { $0 != "-" && $0 != ":" }
  }
}

/// A new file beside the place of a backup, which takes its place when it is complete and verified. Until then, what
/// was there before stays. A file that is not moved is deleted, also by the next run after this one was killed.
final class NewBackupFile {
  /// The path of the backup.
  let target: String
  /// The path of the new file.
  let path: String
  /// Whether there was a backup at the target.
  let replacesBackup: Bool
  private let descriptor: Int32
  private var isMoved = false

  private init(target: String, path: String, replacesBackup: Bool, descriptor: Int32) {
    self.target = target
    self.path = path
    self.replacesBackup = replacesBackup
    self.descriptor = descriptor
  }

  deinit {
    if !isMoved { unsafe unlink(path) }
    close(descriptor)
  }

  /// Creates the file, with mode 0600. `isBesideOthers` is true in a folder of backups, each of which has a name of its
  /// own. Throws `invalidArgument` if the target is a link, a folder, or a file that is no backup.
  static func create(for target: String, besideOthers isBesideOthers: Bool) throws(VaultError) -> NewBackupFile {
    let replacesBackup = try checkTarget(target)
    let folder = target.parentFolder
    let prefix = ".\(target.split(separator: "/").last ?? "")\(partial)"
    removeLeftovers(in: folder) { name in
      isBesideOthers
        ? name.hasPrefix(".\(BackupFolder.prefix)") && name.contains("\(BackupFolder.suffix)\(partial)")
        : name.hasPrefix(prefix)
    }
    for _ in 0..<8 {
      let path = "\(folder)/\(prefix)\(hexadecimal(Random.bytes(count: 8)))"
      let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard descriptor >= 0 else { throw systemFailure("create a file in \(folder)") }
      var status = stat()
      // Another run may have taken it for a leftover, and deleted it.
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0, unsafe fstat(descriptor, &status) == 0, status.st_nlink > 0 {
        return NewBackupFile(
          target: target, path: path, replacesBackup: replacesBackup, descriptor: descriptor)
      }
      close(descriptor)
    }
    throw VaultError(
      .busy, "another backup to \(target) is being made", recoverySuggestion: "try again when it is done")
  }

  private static let partial = ".partial-"

  /// Checks that a backup may be written to a path. Returns whether there is one.
  @discardableResult
  private static func checkTarget(_ target: String) throws(VaultError) -> Bool {
    var status = stat()
    guard unsafe lstat(target, &status) == 0 else {
      guard errno == ENOENT else { throw systemFailure("write to \(target)") }
      return false
    }
    func refusal(_ what: String) -> VaultError {
      VaultError(
        .invalidArgument, "\(target) \(what); nothing was changed", recoverySuggestion: "name another file")
    }
    switch status.st_mode & S_IFMT {
    case S_IFLNK: throw refusal("is a symbolic link, which a backup does not replace")
    case S_IFDIR: throw refusal("is a folder")
    case S_IFREG: break
    default: throw refusal("is no regular file")
    }
    let beginning = try? RegularFile.open(target, followsLinks: false).read(upTo: BackupLayout.byteLimit)
    guard let beginning, Repository.isBundle(beginning, with: BackupLayout.reference) else {
      throw refusal("exists and is no backup of Coffer, and only a backup is replaced")
    }
    return true
  }

  /// Deletes the files of runs that were killed.
  private static func removeLeftovers(in folder: String, where isLeftover: (String) -> Bool) {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where isLeftover(name) {
      let path = "\(folder)/\(name)"
      let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
      guard descriptor >= 0 else { continue }
      defer { close(descriptor) }
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unsafe unlink(path) }
    }
  }

  func write(_ bytes: [UInt8]) throws(VaultError) {
    if let number = unsafe bytes.withUnsafeBytes({ unsafe StandardOutput.writeAll($0, to: descriptor) }) {
      throw systemFailure("write \(path)", number: number)
    }
  }

  /// Makes the content durable. Returns its size.
  func complete() throws(VaultError) -> Int {
    var status = stat()
    guard fsync(descriptor) == 0, unsafe fstat(descriptor, &status) == 0 else { throw systemFailure("write \(path)") }
    return Int(status.st_size)
  }

  /// Puts the file into the place of the backup, durably.
  func moveIntoPlace() throws(VaultError) {
    // Another program may have put something else there meanwhile.
    try Self.checkTarget(target)
    guard unsafe rename(path, target) == 0 else { throw systemFailure("write \(target)") }
    isMoved = true
    FaultPoint.reached(.backupMoved)
    try SecretFile.syncFolder(target.parentFolder)
  }
}
