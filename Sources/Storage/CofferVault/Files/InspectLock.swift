internal import CofferPlatform
internal import CofferSystem

/// How `coffer lock` finds the processes of `coffer inspect`, and knows which of them hold keys.
///
/// Each process locks a byte of one file in the vault's folder: exclusively while its vault is unlocked, and shared
/// while it is locked. The kernel tells who holds such a lock, and releases it when the process ends, however it ends.
package final class InspectLock: Sendable {
  private let descriptor: Int32
  private let offset: Int

  private init(descriptor: Int32, offset: Int) {
    self.descriptor = descriptor
    self.offset = offset
  }

  deinit { close(descriptor) }

  /// Registers this process, as one whose vault is locked. The registration ends with the object. One process has at
  /// most one for a vault.
  package static func acquire(in folder: VaultFolder) throws(VaultError) -> InspectLock {
    let path = folder.inspectLockPath
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw systemFailure("lock \(path)") }
    var number: Int32 = 0
    for offset in 0..<maximumProcessCount {
      // Exclusively first: two shared locks of one byte could not become exclusive.
      guard let failure = RecordLock.set(.exclusive, at: offset, of: descriptor) else {
        let lock = InspectLock(descriptor: descriptor, offset: offset)
        lock.set(isUnlocked: false)
        return lock
      }
      number = failure
      guard [EACCES, EAGAIN, EINTR].contains(number) else { break }
    }
    close(descriptor)
    throw systemFailure("lock \(path)", number: number)
  }

  /// Says whether this process has the keys of the vault in memory.
  package func set(isUnlocked: Bool) {
    _ = RecordLock.set(isUnlocked ? .exclusive : .shared, at: offset, of: descriptor)
  }

  private static let maximumProcessCount = 1_024
}

// MARK: Locking from another process

extension InspectLock {
  /// How long a process may take to drop its keys.
  private static let timeout = Duration.seconds(5)

  /// Makes every process of `coffer inspect` drop the keys of a vault, and waits until all have. Returns the processes
  /// that had keys. Throws `io` if a process keeps its keys, and `readOnly` if it belongs to another user.
  package static func lockAll(in folder: VaultFolder) throws(VaultError) -> Set<Int32> {
    var locked: Set<Int32> = []
    let end = ContinuousClock.now + timeout
    while true {
      let unlocked = try holders(in: folder)
      guard !unlocked.isEmpty else { return locked }
      for holder in unlocked {
        guard holder > 0 else {
          throw VaultError(
            .io, "coffer inspect has the vault at \(folder.path) unlocked in another container or on another machine",
            recoverySuggestion: "run `coffer lock` there")
        }
        // Again and again: a process that has just unlocked its vault may still ignore the signal.
        guard kill(holder, SIGUSR1) == 0 || errno == ESRCH else { throw systemFailure("lock process \(holder)") }
        locked.insert(holder)
      }
      guard ContinuousClock.now < end else {
        let names = unlocked.map(String.init).joined(separator: " ")
        throw VaultError(
          .io, "coffer inspect keeps the vault at \(folder.path) unlocked, in process \(names)",
          recoverySuggestion: "end it with: kill -KILL \(names)")
      }
      usleep(20_000)
    }
  }

  /// Returns the processes that have the keys of a vault in memory; 0 or less for one that is not visible here.
  package static func holders(in folder: VaultFolder) throws(VaultError) -> [Int32] {
    let path = folder.inspectLockPath
    let file: RegularFile
    do throws(RegularFile.Refusal) {
      file = try RegularFile.open(path, followsLinks: false)
    } catch {
      guard case .system(let number) = error else {
        throw VaultError(
          .io, "\(path) is not a regular file, so no process of coffer inspect can be found",
          recoverySuggestion: "end those that run, then remove it with: rm -r \(path.shellWord)")
      }
      if number == ENOENT || number == ENOTDIR { return [] }
      throw systemFailure("open \(path)", number: number)
    }
    var holders: Set<Int32> = []
    var ranges = [0..<maximumProcessCount]
    do throws(SystemError) {
      while let range = ranges.popLast() {
        // Only an exclusive lock is in the way of a shared one.
        guard let holder = try RecordLock.holder(against: .shared, in: range, of: file.descriptor) else { continue }
        holders.insert(holder.process)
        // The lock of another program can begin before the range.
        let offset = max(holder.offset, range.lowerBound)
        let others = [range.lowerBound..<offset, offset + 1..<range.upperBound]
        ranges += others.filter { !$0.isEmpty }
      }
    } catch {
      throw systemFailure("examine \(path)", number: error.number)
    }
    return holders.sorted()
  }
}
