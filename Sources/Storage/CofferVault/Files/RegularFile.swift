internal import CofferCrypto
internal import CofferPlatform

/// A regular file that is open for reading.
///
/// Opening never waits: a named pipe would wait for a writer, and a device for its hardware.
package struct RegularFile: ~Copyable {
  /// Why a file is not read.
  package enum Refusal: Error, Hashable, Sendable {
    /// The operating system refuses, with this `errno`.
    case system(Int32)
    /// The path leads to a named pipe, a device, a socket or a folder.
    case notRegular
    /// The file belongs to this user, who is neither the user of this process nor root.
    case foreign(owner: UInt32)
    /// Other users can read or write the file, which has this mode.
    case exposed(mode: UInt32)
  }

  /// Valid only as long as this value exists.
  let descriptor: Int32
  private let owner: UInt32
  private let mode: UInt32
  /// The file's size when it was opened.
  package let byteCount: Int

  private init(descriptor: Int32, status: stat) {
    self.descriptor = descriptor
    owner = status.st_uid
    mode = UInt32(status.st_mode)
    byteCount = Int(status.st_size)
  }

  deinit { close(descriptor) }

  /// Opens a file, with `followsLinks` also through a symbolic link. Throws `system`, or `notRegular`.
  package static func open(_ path: String, followsLinks: Bool) throws(Refusal) -> RegularFile {
    let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (followsLinks ? 0 : O_NOFOLLOW)
    let descriptor = systemOpen(path, flags)
    guard descriptor >= 0 else {
      // A socket, or a device without a driver.
      throw errno == ENXIO || errno == EOPNOTSUPP ? .notRegular : .system(errno)
    }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      let number = errno
      close(descriptor)
      throw .system(number)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw .notRegular
    }
    return RegularFile(descriptor: descriptor, status: status)
  }

  /// Checks that the file belongs to the effective user of this process or to root, and that no other user can read or
  /// write it. With `allowsSharedFilesOfRoot`, other users may read a file of root: systems that hand secrets to
  /// services and containers mount such files.
  package func checkAccess(allowsSharedFilesOfRoot: Bool) throws(Refusal) {
    guard owner == geteuid() || owner == 0 else { throw .foreign(owner: owner) }
    let isShared = allowsSharedFilesOfRoot && owner == 0 && geteuid() != 0
    guard mode & (isShared ? 0o022 : 0o077) == 0 else { throw .exposed(mode: mode & 0o777) }
  }

  /// Reads at most `limit` bytes of the file from its beginning. They can be secret: the caller wipes them.
  package func read(upTo limit: Int) throws(Refusal) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: limit)
    var outcome: Result<Int, Refusal> = .success(0)
    unsafe bytes.withUnsafeMutableBytes { bytes in
      outcome = Result { () throws(Refusal) in try unsafe read(into: bytes) }
    }
    do throws(Refusal) {
      bytes.removeLast(limit - (try outcome.get()))
      return bytes
    } catch {
      bytes.wipe()
      throw error
    }
  }

  /// Reads at most `limit` bytes from an offset on; none at the end. They are not secret.
  package func read(from offset: Int, upTo limit: Int) throws(Refusal) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: limit)
    while true {
      let count = unsafe pread(descriptor, &bytes, limit, off_t(offset))
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw .system(errno) }
      bytes.removeLast(limit - count)
      return bytes
    }
  }

  /// Reads the file from its beginning into memory: as many bytes as fit, or all of the file.
  package func read(into bytes: UnsafeMutableRawBufferPointer) throws(Refusal) -> Int {
    var filled = 0
    while filled < bytes.count {
      let count = unsafe pread(descriptor, bytes.baseAddress?.advanced(by: filled), bytes.count - filled, off_t(filled))
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw .system(errno) }
      guard count > 0 else { break }
      filled += count
    }
    return filled
  }
}

// Outside of RegularFile, whose `open` would hide the system's.

private func systemOpen(_ path: String, _ flags: Int32) -> Int32 { unsafe open(path, flags) }
