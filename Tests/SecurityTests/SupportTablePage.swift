internal import CofferTestSupport
internal import Foundation

/// The contents of the documentation page of supported symbols.
struct SupportTablePage: Sendable {
  struct Row: Sendable {
    /// The type in the heading above the table; nil if it names none.
    let type: String?
    /// The first cell of the table's header.
    let head: String
    let cells: [String]
  }

  let rows: [Row]
  /// The lines outside tables.
  let prose: [String]

  init() throws {
    var rows: [Row] = []
    var prose: [String] = []
    var type: String?
    var head: String?
    for line in try DocumentationPage("SupportTable", of: "Security").lines {
      guard line.hasPrefix("| ") || line.hasPrefix("|-") else {
        if line.hasPrefix("#") { type = line.firstMatch(of: /^### `(\w+)`$/).map { String($0.output.1) } }
        head = nil
        prose.append(line)
        continue
      }
      if line.hasPrefix("|-") { continue }
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      if let head { rows.append(Row(type: type, head: head, cells: cells)) } else { head = cells.first ?? "" }
    }
    self.rows = rows
    self.prose = prose
  }

  /// Every symbol in the tables and the lists of errors; members as `Type.member`.
  var names: Set<String> {
    var names = Set(prose.flatMap { $0.matches(of: /`(errSec\w+)` -/).map { String($0.output.1) } })
    for row in rows {
      for name in Self.names(in: row.cells[0]) {
        names.insert(name.hasPrefix(".") ? (row.type ?? "") + name : name)
      }
    }
    return names
  }

  /// Returns the names between backticks.
  static func names(in cell: String) -> [String] {
    cell.matches(of: /`(\.?\w[\w.]*)`/).map { String($0.output.1) }
  }

  /// The numbers that the page states for errors.
  var errorNumbers: [String: Int32] {
    var numbers: [String: Int32] = [:]
    for line in prose {
      for match in line.matches(of: /`(errSec\w+)` (-\d+)/) { numbers[String(match.output.1)] = Int32(match.output.2) }
    }
    for row in rows where row.head == "Status" { numbers[Self.names(in: row.cells[0])[0]] = Int32(row.cells[1]) }
    return numbers
  }
}

/// The public declarations of the modules that the page describes, read from their sources.
struct PublicDeclarations: Sendable {
  /// The declared names; members as `Type.member`, including those of nested types.
  private(set) var names: Set<String> = []
  /// The values of string constants.
  private(set) var strings: [String: String] = [:]
  /// The numbers of errors.
  private(set) var numbers: [String: Int32] = [:]

  init() throws {
    for module in ["Security", "LocalAuthentication"] {
      let folder = DocumentationPage.folder(of: module)
      let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
      while let file = files?.nextObject() as? URL {
        guard file.pathExtension == "swift" else { continue }
        take(try String(contentsOf: file, encoding: .utf8))
      }
    }
  }

  private mutating func take(_ source: String) {
    // The type whose members the lines declare; nil within a declaration that is not public.
    var type: String?
    for line in source.components(separatedBy: "\n") {
      if let match = line.firstMatch(of: /^extension (NSMutableDictionary|(?:LA|Authentication|Passphrase)\w*)\b/) {
        type = String(match.output.1)
      } else if let match = line.firstMatch(of: Self.topLevel) {
        let (kind, name) = (match.output.1, String(match.output.2))
        names.insert(name)
        type = ["struct", "class", "enum", "protocol"].contains(kind) ? name : nil
        if let value = line.firstMatch(of: /: CFString = "([^"]*)"/) { strings[name] = String(value.output.1) }
        if let value = line.firstMatch(of: /: OSStatus = (-?\d+)/) { numbers[name] = Int32(value.output.1) }
      } else if line.first.map({ $0.isLetter || $0 == "@" }) == true {
        type = nil
      } else if let type, let name = Self.member(line, of: type) {
        names.insert("\(type).\(name)")
      }
    }
  }

  private static var topLevel: Regex<(Substring, Substring, Substring)> {
    /^(?:@\S+ |nonisolated\(unsafe\) )*(?:public|open) (?:final )?(let|var|func|typealias|struct|class|enum|protocol) (\w+)/
  }

  private static func member(_ line: String, of type: String) -> String? {
    if let match = line.firstMatch(of: /^ +(?:public|open) (?:static )?(?:let|var|func|enum|struct|class) (\w+)/) {
      let name = String(match.output.1)
      return name == "rawValue" || name.hasPrefix("_") ? nil : name
    }
    // The requirements of a protocol are as public as the protocol.
    if type == "AuthenticationPrompter", let match = line.firstMatch(of: /^  func (\w+)/) {
      return String(match.output.1)
    }
    return line.firstMatch(of: /^ +case ([a-z]\w*)(?:\(| = |$)/).map { String($0.output.1) }
  }
}
