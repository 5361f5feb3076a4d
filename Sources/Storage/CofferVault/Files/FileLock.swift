internal import CofferPlatform
internal import CofferSystem

/// An advisory lock on a file, held for as long as the value lives. The kernel releases it when the process ends,
/// however it ends.
///
/// Such a lock does not say who holds it, so its holder also locks the file's first byte as a record.
package struct FileLock: ~Copyable {
  private let descriptor: Int32

  private init(descriptor: Int32) { self.descriptor = descriptor }

  /// Waits for the lock and acquires it. The file is created if it is missing, readable by its owner only. `purpose` is
  /// what the lock is held for, as a noun for the error. `reportWait` is called once if the wait takes longer than a
  /// second, with who holds the lock, in words for people. Throws `busy` if the lock is not released within `timeout`.
  package static func acquire(
    path: String, timeout: Duration, purpose: String, reportWait: ((String) -> Void)? = nil
  ) throws(VaultError) -> FileLock {
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw systemFailure("lock \(path)") }
    let start = ContinuousClock.now
    var isReported = reportWait == nil
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else {
        let error = systemFailure("lock \(path)")
        close(descriptor)
        throw error
      }
      let waited = ContinuousClock.now - start
      guard waited < timeout else {
        let holder = holder(of: descriptor)
        close(descriptor)
        throw VaultError(
          .busy, "another \(purpose) is still running\(holder.map { " in \(words(for: $0))" } ?? "") (\(path))",
          recoverySuggestion: holder.map { "wait until it is done and try again, or end it with: kill \($0)" }
            ?? "wait until it is done and try again")
      }
      if !isReported, waited > .seconds(1) {
        isReported = true
        reportWait?(holder(of: descriptor).map { words(for: $0) } ?? "another program")
      }
      usleep(20_000)
    }
    _ = RecordLock.set(.exclusive, at: 0, of: descriptor)
    return FileLock(descriptor: descriptor)
  }

  /// Returns the process that holds the lock of an open file; nil if it cannot be seen.
  private static func holder(of descriptor: Int32) -> pid_t? {
    guard let holder = try? RecordLock.holder(against: .exclusive, in: 0..<1, of: descriptor) else { return nil }
    return holder.process > 0 ? holder.process : nil
  }

  /// Returns a process with its name where the system shows it: "process 4711 (coffer-sync)".
  private static func words(for process: pid_t) -> String {
    let name = FileManager.default.contents(atPath: "/proc/\(process)/comm")
      .map { String(decoding: $0, as: UTF8.self).sanitizedForTerminal(foldsWhiteSpace: true) }
    return "process \(process)" + (name.map { " (\($0))" } ?? "")
  }

  /// Acquires the lock of a file that its holder deletes, without waiting. Returns nil if somebody holds it. The file
  /// is created if it is missing, readable by its owner only.
  package static func acquireUnlessHeld(path: String) throws(VaultError) -> FileLock? {
    while true {
      let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard descriptor >= 0 else { throw systemFailure("lock \(path)") }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        let number = errno
        close(descriptor)
        if number == EINTR { continue }
        guard number == EWOULDBLOCK else { throw systemFailure("lock \(path)", number: number) }
        return nil
      }
      let lock = FileLock(descriptor: descriptor)
      // A holder may have deleted the file after it was opened here: this lock would then exclude nobody.
      if lock.isOfFile(at: path) { return lock }
    }
  }

  /// Whether the file at a path is the locked one. False if another file has taken its place.
  func isOfFile(at path: String) -> Bool {
    guard let identity = FileIdentity(of: descriptor) else { return false }
    return identity == FileIdentity(of: path)
  }

  deinit {
    // A program that another thread starts just now has the descriptor until it begins, so closing it alone would not
    // release the lock.
    _ = flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}

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

  /// Whether this is the lock of the folder that is at the path of `folder` now. False if the folder was moved.
  package func isHeld(in folder: VaultFolder) -> Bool { lock.isOfFile(at: folder.watchLockPath) }

  /// Returns the process that syncs a vault by itself; nil if none does.
  package static func holder(in folder: VaultFolder) -> Int32? {
    guard let file = try? RegularFile.open(folder.watchLockPath, followsLinks: false),
      // Shared: two programs that look do not keep each other from it.
      flock(file.descriptor, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK, let bytes = try? file.read(upTo: 16)
    else { return nil }
    return Int32(String(decoding: bytes.prefix { $0 != 10 && $0 != 0 }, as: UTF8.self))
  }
}
