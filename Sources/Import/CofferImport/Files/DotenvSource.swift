internal import CofferPlatform
internal import CofferSystem

/// A file of variables, as docker compose and the libraries called dotenv read it. Each variable becomes an item with
/// the name of the file's folder as its service.
package struct DotenvSource: EntrySource {
  private let input: SourceInput
  private let service: String

  /// `service` replaces the name of the folder.
  package init(_ input: SourceInput, service: String) {
    self.input = input
    self.service = service
  }

  package func read(into sink: inout EntrySink) throws {
    var reader = VariableReader(try input.contents(for: &sink))
    var variables: [(name: String, value: [UInt8], line: Int)] = []
    // The places of the variables: of two with the same name, shells use the later one.
    var places: [String: Int] = [:]
    while let (name, value, line) = try reader.next() {
      guard let name else {
        try sink.skip("line \(line)", because: "it is not NAME=VALUE")
        continue
      }
      if let place = places.updateValue(variables.count, forKey: name) {
        try sink.skip("\(name) in line \(variables[place].line)", because: "line \(line) sets it again")
      }
      variables.append((name, value, line))
    }
    for (index, (name, value, _)) in variables.enumerated() where places[name] == index {
      guard !value.starts(with: "coffer://".utf8) else {
        try sink.skip(name, because: "its value is a reference to an item")
        continue
      }
      var entry = ForeignEntry()
      entry.identifier = "\(service)/\(name)"
      entry.service = service
      entry.username = name
      entry.password = value
      try sink.add(entry)
    }
  }
}

/// Reads the lines of a file of variables.
private struct VariableReader {
  private let bytes: [UInt8]
  private var place = 0
  private var line = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    // Editors of Windows put a byte order mark before the first line.
    if bytes.starts(with: InputFile.byteOrderMark) { place = InputFile.byteOrderMark.count }
  }

  private static let newline = UInt8(ascii: "\n")
  private static let backslash = UInt8(ascii: "\\")

  /// Returns the next variable, with a nil name for a line that is none; nil at the end.
  mutating func next() throws(ImportError) -> (name: String?, value: [UInt8], line: Int)? {
    while place < bytes.count {
      line += 1
      var start = bytes[place...]
      start = start.drop { $0 == 32 || $0 == 9 || $0 == 13 }
      guard let first = start.first, first != Self.newline, first != UInt8(ascii: "#") else {
        skipLine()
        continue
      }
      if start.starts(with: "export ".utf8) { start = start.dropFirst(7).drop { $0 == 32 } }
      let name = start.prefix { $0 != UInt8(ascii: "=") && $0 != Self.newline }
      let begin = line
      guard name.endIndex < bytes.count, bytes[name.endIndex] == UInt8(ascii: "="),
        let text = String(validating: name, as: UTF8.self)?.trimmedSpace,
        !text.isEmpty, text.utf8.allSatisfy({ $0 > 32 && $0 < 127 })
      else {
        skipLine()
        return (nil, [], begin)
      }
      place = name.endIndex + 1
      // With text after the closing quote, a shell would set another value.
      guard let found = try value() else { return (nil, [], begin) }
      return (text, found, begin)
    }
    return nil
  }

  private mutating func skipLine() {
    place = (bytes[place...].firstIndex(of: Self.newline) ?? bytes.count - 1) + 1
  }

  /// Returns the value; nil if text follows its closing quote.
  private mutating func value() throws(ImportError) -> [UInt8]? {
    let start = place
    while place < bytes.count, bytes[place] == 32 || bytes[place] == 9 { place += 1 }
    guard place < bytes.count else { return [] }
    let quote = bytes[place]
    if quote == UInt8(ascii: "#"), place > start {
      skipLine()
      return []
    }
    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      var value = bytes[place...].prefix { $0 != Self.newline }
      place = value.endIndex
      skipLine()
      // A comment begins with a space and a number sign.
      for index in value.indices.dropFirst()
      where value[index] == UInt8(ascii: "#") && [32, 9].contains(value[index - 1]) {
        value = value[..<index]
        break
      }
      while let last = value.last, last == 32 || last == 9 || last == 13 { value.removeLast() }
      return Array(value)
    }
    place += 1
    var value: [UInt8] = []
    while place < bytes.count {
      let byte = bytes[place]
      place += 1
      if byte == quote {
        let rest = bytes[place...].prefix { $0 != Self.newline }.drop { $0 == 32 || $0 == 9 || $0 == 13 }
        skipLine()
        return rest.isEmpty || rest.first == UInt8(ascii: "#") ? value : nil
      }
      if byte == Self.newline { line += 1 }
      guard byte == Self.backslash, quote == UInt8(ascii: "\""), place < bytes.count else {
        value.append(byte)
        continue
      }
      let escaped = bytes[place]
      place += 1
      switch escaped {
      case UInt8(ascii: "n"): value.append(Self.newline)
      case UInt8(ascii: "r"): value.append(13)
      case UInt8(ascii: "t"): value.append(9)
      case UInt8(ascii: "\""), Self.backslash, UInt8(ascii: "$"): value.append(escaped)
      default: value += [Self.backslash, escaped]
      }
    }
    throw ImportError.malformed("file of variables", "the quotes of a value in line \(line) do not end")
  }
}

extension DotenvSource {
  /// The name of the folder that contains a file. Bytes that have only a name get this name.
  static func service(of path: String, isFile: Bool) -> String {
    var place = isFile ? path.parentFolder : path
    // Only the system knows the names of the folders `.` and `..`.
    if isFile, [".", ".."].contains(place.split(separator: "/").last ?? ""), let folder = place.resolvedPath {
      place = folder
    }
    return place.split(separator: "/").last.map(String.init) ?? "variables"
  }
}
