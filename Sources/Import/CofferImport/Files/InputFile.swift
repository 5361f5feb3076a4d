internal import CofferPlatform
internal import CofferSystem

/// The file that a source reads, or bytes in its place.
package struct SourceInput {
  private let path: String
  private let bytes: [UInt8]?

  /// The file at a path. It is opened when the source is read.
  package static func file(_ path: String) -> SourceInput { SourceInput(path: path, bytes: nil) }

  /// Bytes that are read as if they were a file.
  package static func bytes(_ bytes: [UInt8]) -> SourceInput { SourceInput(path: "", bytes: bytes) }

  /// Opens the file, which has at most `limit` bytes.
  func open(limit: Int) throws(ImportError) -> InputFile {
    if let bytes { return InputFile(bytes) }
    return try InputFile.open(path, limit: limit)
  }

  /// Reads all of the file, of which a sink receives the items.
  func contents(for sink: inout EntrySink) throws(ImportError) -> [UInt8] {
    let file = try open(limit: InputFile.textLimit)
    try file.checkIsNotUTF16()
    sink.limitItems(ofFileWith: file.byteCount)
    return try file.bytes(at: 0, count: file.byteCount)
  }
}

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
      throw ImportError.tooMuch(
        "\(path.sanitizedForTerminal(limit: .max)) has \(byteCount.byteCountText), more than \(limit.byteCountText)")
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

/// Why a source could not be read: what happened, and what to do. It contains no secret.
package struct ImportError: Error, CustomStringConvertible {
  package let message: String
  package let recoverySuggestion: String

  package init(_ message: String, recoverySuggestion: String) {
    self.message = message
    self.recoverySuggestion = recoverySuggestion
  }

  package var description: String { "\(message); \(recoverySuggestion)" }

  /// The error for a call of the operating system on a file.
  static func system(_ action: String, _ path: String, number: Int32) -> ImportError {
    ImportError(
      "cannot \(action) \(path.sanitizedForTerminal(limit: .max)): \(SystemError.reason(number))",
      recoverySuggestion: "check the path and its permissions, and import again")
  }

  /// The error for more than any export of a person has. `parts` are what to export in several parts.
  static func tooMuch(_ message: String, of parts: String = "entries") -> ImportError {
    ImportError(message, recoverySuggestion: "export the \(parts) in several parts")
  }

  /// The error for a file that is not in the format.
  static func malformed(_ what: String, _ detail: String) -> ImportError {
    ImportError(
      "the file is no \(what): \(detail)",
      recoverySuggestion: "export it again, and check that the first argument of coffer import names its format")
  }
}

/// A file or a part of one with JSON.
enum JSONFile {
  /// Reads JSON. `what` is the format in words, for errors. Half of a character does not keep back the whole file: the
  /// sink names the item that has it.
  static func value(_ bytes: [UInt8], what: String) throws(ImportError) -> JSONValue {
    guard let value = JSONValue(json: bytes, marksLoneSurrogates: true) else {
      throw ImportError.malformed(
        what, "it is not JSON in UTF-8, or has more than 512 levels or \(JSONValue.maximumCount) values")
    }
    return value
  }
}

extension String {
  /// The path without symbolic links; nil with `errno` if it does not exist.
  var resolvedPath: String? {
    guard let text = unsafe realpath(self, nil) else { return nil }
    defer { unsafe free(text) }
    return unsafe String(validatingCString: text)
  }
}

extension JSONValue {
  /// The moment that seconds since 1970, as a number, stand for; nil for anything else.
  var date: Date? {
    switch self {
    case .integer(let seconds): Date(timeIntervalSince1970: Double(seconds)).ifReasonable
    case .number(let seconds): Date(timeIntervalSince1970: seconds).ifReasonable
    default: nil
    }
  }

  /// The text of a member; empty if there is none.
  func string(_ name: String) -> String { self[name]?.text ?? "" }

  /// The elements of a member; none if it is no array.
  func list(_ name: String) -> [JSONValue] { self[name]?.elements ?? [] }

  /// The object without members.
  func removing(_ names: Set<String>) -> JSONValue {
    .object(members.filter { !names.contains($0.key) && !$0.value.isEmpty })
  }
}

extension Date {
  /// The date if it is between the years 1900 and 2200: what is outside is no date of an entry.
  var ifReasonable: Date? { (-2_208_988_800...7_258_118_400).contains(timeIntervalSince1970) ? self : nil }

  /// Reads ISO 8601 with or without fractions of a second.
  init?(iso8601 text: String) {
    let styles: [ISO8601FormatStyle] = [.iso8601, .init(includingFractionalSeconds: true)]
    guard let date = styles.lazy.compactMap({ try? $0.parse(text) }).first, let reasonable = date.ifReasonable else {
      return nil
    }
    self = reasonable
  }
}
