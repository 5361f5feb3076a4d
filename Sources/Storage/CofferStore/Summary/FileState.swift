internal import CofferPlatform

/// What the file system says about the file of a store. Every later write to the file changes it.
struct FileState: Equatable, Sendable {
  /// The device, the file's number on it, its size, and the seconds and nanoseconds of its last modification and change.
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
