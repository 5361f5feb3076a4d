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
