internal import CofferPlatform

/// Held by the one process that syncs a vault by itself.
package struct WatchLock: ~Copyable {
  private let lock: FileLock

  /// Throws `io` if another process holds the lock, with its process identifier.
  package static func acquire(in folder: VaultFolder) throws(VaultError) -> WatchLock {
    guard !isAbsent(folder.path) else {
      throw VaultError(
        .noVault, "there is no vault at \(folder.path)",
        recoverySuggestion: "create one with `coffer init`, or bring one from another machine with `coffer clone URL`")
    }
    // Not at once: a program that looks who holds the lock has it for a moment.
    let lock: FileLock
    do throws(VaultError) {
      lock = try FileLock.acquire(path: folder.watchLockPath, timeout: .milliseconds(300), purpose: "watch")
    } catch {
      guard let holder = holder(in: folder) else { throw error }
      throw VaultError(
        .io, "process \(holder) syncs the vault at \(folder.path) by itself already",
        recoverySuggestion: "see how it does with `coffer status`, or end it first")
    }
    // Without the file's replacement, which would take the lock away with the old file.
    let descriptor = unsafe open(folder.watchLockPath, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw writeFailure(in: folder) }
    defer { close(descriptor) }
    let line = Array("\(getpid())\n".utf8)
    guard unsafe line.withUnsafeBytes({ unsafe StandardOutput.writeAll($0, to: descriptor) }) == nil else {
      throw writeFailure(in: folder)
    }
    return WatchLock(lock)
  }

  private static func writeFailure(in folder: VaultFolder) -> VaultError {
    VaultError(
      .io, "cannot write \(folder.watchLockPath)",
      recoverySuggestion: "check its owner, its mode and the space on the disk")
  }

  private init(_ lock: consuming FileLock) { self.lock = lock }

  /// Returns the process that syncs a vault by itself; nil if none does.
  package static func holder(in folder: VaultFolder) -> Int32? {
    guard !isAbsent(folder.watchLockPath), (try? isHeld(folder.watchLockPath)) == true,
      let file = try? RegularFile.open(folder.watchLockPath, followsLinks: false),
      let bytes = try? file.read(upTo: 16)
    else { return nil }
    return Int32(String(decoding: bytes.prefix { $0 != 10 && $0 != 0 }, as: UTF8.self))
  }

  private static func isHeld(_ path: String) throws(VaultError) -> Bool {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw systemFailure("open \(path)") }
    defer { close(descriptor) }
    // Shared: two programs that look do not keep each other from it.
    guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else { return errno == EWOULDBLOCK }
    return false
  }
}
