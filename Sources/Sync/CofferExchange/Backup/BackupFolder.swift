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

  /// Checks that the folder exists. Throws `invalidArgument` if it does not: a disk that is not there must not become a folder
  /// of the disk below.
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

  /// Deletes the backups of a machine that are older than `newest`, made at `time`, apart from the newest of them, so that `count`
  /// stay. Their age is what their statements say, not their names or dates. What this machine has not signed, what is not
  /// complete, what is of the future, and what cannot be read stays and does not count. `parent` is a folder for temporary
  /// files. Returns what is to be known of these, a line each.
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
      try? FileManager.default.removeItem(atPath: repository)
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
