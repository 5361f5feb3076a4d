internal import CofferCrypto
internal import CofferFormat
internal import CofferGit
internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

/// A folder to which one machine adds backups, and in which only the newest of them stay.
struct BackupFolder {
  let path: String

  private static let prefix = "coffer-"
  private static let suffix = ".backup"

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

  /// Deletes the backups of a machine apart from the `count` newest ones and `newest`. Which they are is what their statements say,
  /// not their names or dates: a file that this machine has not signed, or that is damaged, stays. Returns what is damaged, a line
  /// each.
  func prune(
    keeping count: Int, newest: String, of device: DeviceID, signedBy key: VerifyingKey, in scratch: URL
  ) throws -> [String] {
    var found: [(path: String, time: Timestamp)] = []
    var notes: [String] = []
    for name in try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    where name.hasPrefix(Self.prefix) && name.hasSuffix(Self.suffix) {
      let file = "\(path)/\(name)"
      guard file != newest, (try? RegularFile.open(file, followsLinks: false)) != nil else { continue }
      let folder = scratch.appending(path: "kept.git").path(percentEncoded: false)
      try? FileManager.default.removeItem(atPath: folder)
      do throws(VaultError) {
        let statement = try BackupUnpacking().unpack(file, into: folder).statement
        guard statement.device == device, statement.isSigned(by: key) else { continue }
        found.append((file, statement.contents.time))
      } catch {
        if error.code == .integrity { notes.append("\(error.message), and stays") }
      }
    }
    for (file, _) in found.sorted(by: { $0.time > $1.time }).dropFirst(max(count - 1, 0)) {
      guard unsafe unlink(file) == 0 else { throw systemFailure("delete \(file)") }
    }
    try SecretFile.syncFolder(path)
    return notes
  }
}

extension Date {
  /// The moment in UTC for the name of a file: `20261125T232130Z`.
  fileprivate var utcStamp: String {
    let text = formatted(.iso8601)
    return text.filter { $0 != "-" && $0 != ":" }
  }
}
