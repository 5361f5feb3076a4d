internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

/// A line of a file with settings.
struct TextLine {
  /// The text, without white space at both ends.
  let text: String
  /// Where it is, for errors: "line 3 of file".
  let place: String

  /// Reads the lines of a file that are neither empty nor a comment, which begins with `#`. Throws `invalidArgument`
  /// for a file that cannot be read, and for a line that is not UTF-8 or has a NUL.
  static func read(_ path: String, what: String) throws(VaultError) -> [TextLine] {
    var contents = try SecretInput.contents(of: path, what: what)[...]
    // Editors of Windows put a byte order mark before the first line.
    if contents.starts(with: Self.byteOrderMark) { contents = contents.dropFirst(Self.byteOrderMark.count) }
    var lines: [TextLine] = []
    for (index, bytes) in contents.split(separator: 10, omittingEmptySubsequences: false).enumerated() {
      let place = Self.place(line: index + 1, of: path)
      guard let line = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
        throw VaultError(
          .invalidArgument, "\(place) is not text in UTF-8", recoverySuggestion: "save the file in this encoding")
      }
      let text = line.trimmedSpace
      if !text.isEmpty, !text.hasPrefix("#") { lines.append(TextLine(text: text, place: place)) }
    }
    return lines
  }

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Returns the words for a line.
  static func place(line: Int, of path: String) -> String {
    "line \(line) of \(path == "-" ? "standard input" : path.sanitizedForTerminal(limit: .max))"
  }

  /// Returns an error about the line, which does not repeat its text.
  func error(_ message: String, recoverySuggestion: String) -> VaultError {
    VaultError(.invalidArgument, "\(place): \(message)", recoverySuggestion: recoverySuggestion)
  }

  /// Adds the place to the error that `body` throws.
  func translating<Result>(_ body: () throws(VaultError) -> Result) throws(VaultError) -> Result {
    try VaultError.at(place, body)
  }
}

extension VaultError {
  /// Adds the place, if there is one, to the error that `body` throws.
  static func at<Result>(_ place: String?, _ body: () throws(VaultError) -> Result) throws(VaultError) -> Result {
    do throws(VaultError) {
      return try body()
    } catch {
      throw place.map(error.at) ?? error
    }
  }

  /// Returns the error with the place at which it happened before its message.
  func at(_ place: String) -> VaultError {
    VaultError(code, "\(place): \(message)", recoverySuggestion: recoverySuggestion)
  }
}
