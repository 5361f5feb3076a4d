internal import CofferPlatform
internal import CofferSystem

/// A file, of which any part can be read.
struct InputFile: ~Copyable {
  private let descriptor: Descriptor?
  /// The contents of a file that is in memory.
  private let memory: [UInt8]
  let byteCount: Int
  private let path: String

  private init(_ descriptor: consuming Descriptor?, memory: [UInt8], byteCount: Int, path: String) {
    self.descriptor = descriptor
    self.memory = memory
    self.byteCount = byteCount
    self.path = path
  }

  /// Opens a regular file. `limit` is the largest size in bytes.
  static func open(_ path: String, limit: Int) throws(ImportError) -> InputFile {
    let number = systemOpen(path)
    guard number >= 0 else { throw ImportError.system("open", path, number: errno) }
    let descriptor = Descriptor(owning: number)
    var status = stat()
    guard unsafe fstat(number, &status) == 0 else { throw ImportError.system("read", path, number: errno) }
    let byteCount = Int(status.st_size)
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw ImportError(
        "\(path.sanitizedForTerminal(limit: .max)) is no regular file", recoverySuggestion: "name the exported file")
    }
    guard byteCount <= limit else {
      throw ImportError(
        "\(path.sanitizedForTerminal(limit: .max)) has \(byteCount.byteCountText), more than \(limit.byteCountText)",
        recoverySuggestion: "export the entries in several parts")
    }
    return InputFile(descriptor, memory: [], byteCount: byteCount, path: path)
  }

  /// Takes bytes in place of a file.
  init(_ bytes: [UInt8]) { self.init(nil, memory: bytes, byteCount: bytes.count, path: "") }

  /// Reads at most `count` bytes at a position.
  func bytes(at offset: Int, count: Int) throws(ImportError) -> [UInt8] {
    let number: Int32
    switch descriptor {
    case .some(let open): number = open.rawValue
    case .none: return Array(memory.dropFirst(offset).prefix(count))
    }
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let read = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe pread(
          number, buffer.baseAddress?.advanced(by: filled), count - filled, off_t(offset + filled))
      }
      if read < 0, errno == EINTR { continue }
      guard read >= 0 else { throw ImportError.system("read", path, number: errno) }
      if read == 0 { break }
      filled += read
    }
    bytes.removeLast(count - filled)
    return bytes
  }

  static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

  /// Throws the reason if a file of text begins with the mark of UTF-16: no reader of its format could name it.
  func checkIsNotUTF16() throws(ImportError) {
    let mark = try bytes(at: 0, count: min(byteCount, 2))
    if mark == [0xff, 0xfe] || mark == [0xfe, 0xff] { throw Self.isUTF16 }
  }

  static let isUTF16 = ImportError(
    "the file is in UTF-16", recoverySuggestion: "convert it with: iconv -f UTF-16 -t UTF-8 FILE > NEW, and import that"
  )

  /// The largest file that is read as a whole.
  static let textLimit = 256 << 20
}

// Outside of InputFile, whose `open` hides the system's.
private func systemOpen(_ path: String) -> Int32 { unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
