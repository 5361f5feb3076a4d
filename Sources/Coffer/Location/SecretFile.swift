internal import CofferCrypto
internal import CofferFormat
internal import Foundation

/// A small file of secrets that only its owner may read, written whole or not at all.
package struct SecretFile: Sendable {
  package let path: String
  /// What it holds, for errors.
  let name: String
  /// What mends a damaged one, for errors.
  private let mend: String

  private static let maximumByteCount = 1 << 20

  package init(path: String, name: String, mend: String) {
    self.path = path
    self.name = name
    self.mend = mend
  }

  /// False where there is no such file; true also for one that may not be looked at: reading it says why.
  package var exists: Bool { !isAbsent(path) }

  /// Reads the file and hands its bytes to `body`; they are wiped afterwards.
  package func read<Result>(_ body: ([UInt8]) throws -> Result) throws(VaultError) -> Result {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw failure("read") }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw failure("read") }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.maximumByteCount else {
      throw VaultError(.integrity, "\(name) at \(path) is no regular file of a sensible size")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw VaultError(
        .readOnly, "\(name) at \(path) can be read by other users (mode \(String(status.st_mode & 0o777, radix: 8)))",
        mend: "take the permission away with: chmod 600 '\(path)'")
    }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    defer { bytes.wipe() }
    var filled = 0
    while filled < bytes.count {
      let count = unsafe bytes.withUnsafeMutableBytes {
        unsafe Foundation.read(descriptor, $0.baseAddress?.advanced(by: filled), $0.count - filled)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw failure("read") }
      filled += count
    }
    do {
      return try body(bytes)
    } catch let error as FormatError where error.code != .unsupportedVersion {
      throw VaultError(.integrity, "\(name) at \(path) is damaged: \(error)", mend: mend)
    } catch {
      throw VaultError(translating: error)
    }
  }

  /// Keeps other programs from replacing the file, for as long as the lock lives.
  func lock(patience: Duration) throws(VaultError) -> FileLock {
    try makeFolder()
    return try FileLock(path: "\(path).lock", patience: patience, purpose: "change of \(name)")
  }

  private var folder: String { (path as NSString).deletingLastPathComponent }

  private func makeFolder() throws(VaultError) {
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw failure("write")
    }
  }

  /// Takes away what a program left that was killed between writing and renaming: it holds the same secrets as the file.
  private func removeAbandoned() {
    let prefix = "\((path as NSString).lastPathComponent)."
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return }
    for name in names where name.hasPrefix(prefix) && name.hasSuffix(".new") {
      let file = "\(folder)/\(name)"
      // A young one may be another program's, which is about to rename it.
      guard let date = try? FileManager.default.attributesOfItem(atPath: file)[.modificationDate] as? Date,
        date.timeIntervalSinceNow < -60
      else { continue }
      unsafe unlink(file)
    }
  }

  /// Replaces the file durably: a temporary file, synced, renamed into place, and the folder synced. Wipes `bytes`.
  package func write(wiping bytes: inout [UInt8]) throws(VaultError) {
    defer { bytes.wipe() }
    try makeFolder()
    removeAbandoned()
    let temporary = "\(path).\(hexadecimal(Random.bytes(count: 6))).new"
    let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw failure("write") }
    var isOpen = true
    defer { if isOpen { close(descriptor) } }
    do throws(VaultError) {
      var written = 0
      while written < bytes.count {
        let count = unsafe bytes.withUnsafeBytes {
          unsafe Foundation.write(descriptor, $0.baseAddress?.advanced(by: written), $0.count - written)
        }
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { throw failure("write") }
        written += count
      }
      guard fsync(descriptor) == 0 else { throw failure("write") }
      isOpen = false
      guard close(descriptor) == 0, unsafe rename(temporary, path) == 0 else { throw failure("write") }
    } catch {
      unsafe unlink(temporary)
      throw error
    }
    try Self.syncFolder(folder)
  }

  /// Makes the names in a folder durable.
  package static func syncFolder(_ folder: String) throws(VaultError) {
    let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw systemFailure("open \(folder)") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw systemFailure("sync \(folder)") }
  }

  private func failure(_ verb: String) -> VaultError { systemFailure("\(verb) \(name) at \(path)") }
}

/// True where nothing lies at a path; false also where that cannot be told, for instance in another user's folder.
func isAbsent(_ path: String) -> Bool {
  var status = stat()
  return unsafe lstat(path, &status) != 0 && (errno == ENOENT || errno == ENOTDIR)
}

/// What the system's last error means for a vault.
package func systemFailure(_ what: String) -> VaultError {
  let number = errno
  let reason = unsafe String(cString: strerror(number))
  return switch number {
  case ENOSPC, EDQUOT: VaultError(.diskFull, "cannot \(what): \(reason)", mend: "free some space; nothing was changed")
  case EACCES, EPERM, EROFS:
    VaultError(.readOnly, "cannot \(what): \(reason)", mend: "check the owner and the mode of the folder and its files")
  default: VaultError(.io, "cannot \(what): \(reason)")
  }
}
