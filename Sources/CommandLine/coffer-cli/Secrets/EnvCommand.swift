internal import ArgumentParser
internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct EnvCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "env", abstract: "Print the variables of a project for direnv.",
    discussion: """
      Reads a file with NAME=REFERENCE in each line, which can be committed: it refuses any text that is no reference. Prints \
      a line for each variable that a shell evaluates. In .envrc:

        watch_file .coffer.env
        eval "$(coffer env)"

      `direnv allow` approves .envrc, and not what this file names: a reference that a commit of somebody else adds to it is \
      in your shell, and in every program that you start there, without a question. Programs can take their variables \
      from such a file with `coffer run --env-file` too, one by one: prefer that.
      """)
  @Argument(
    help: ArgumentHelp("The file. Default: \(VariableFile.manifest) in the working directory.", valueName: "file"),
    completion: .file())
  var file: String?
  @OptionGroup var references: ReferenceOptions
  @OptionGroup var actor: ActorOptions
  @Flag(help: "Print JSON: the variables with their references and values.")
  var json = false

  func run() throws {
    guard !Terminal.isOutput else {
      throw VaultError(
        .invalidArgument, "the terminal would show the values; nothing was read",
        recoverySuggestion: "let a shell evaluate the output, or print one value with: coffer read REFERENCE")
    }
    let variables = try VariableFile.read(file ?? VariableFile.manifest, references.readMap(), allowsTexts: false)
    let requests = variables.compactMap { variable -> SecretReader.Request? in
      guard case .reference(let reference) = variable.content else { return nil }
      return SecretReader.Request(reference: reference, place: "\(variable.name) in \(variable.place)")
    }
    let values = requests.isEmpty ? [] : try SecretReader(actor).read(requests)
    if json {
      return try Output.json(
        zip(variables, zip(requests, values)).map { variable, found in
          let object: JSONObject = ["name": variable.name, "secretReference": found.0.reference.text]
          return object.including(JSONObject.value(found.1))
        })
    }
    for (variable, value) in zip(variables, values) {
      guard !value.contains(0) else {
        throw VaultError(
          .invalidArgument, "\(variable.name) in \(variable.place): the value has a NUL, which no variable can have",
          recoverySuggestion: "start the program with: coffer run --file \(variable.name)=coffer://… -- COMMAND")
      }
    }
    var output = Data()
    for (variable, value) in zip(variables, values) {
      output += Data("export \(variable.name)='".utf8)
      // As bytes: a value need not be text. In single quotes, only "'" means something to a shell.
      for byte in value { output += byte == UInt8(ascii: "'") ? Data("'\\''".utf8) : Data([byte]) }
      output += Data("'\n".utf8)
    }
    try Terminal.write(output)
  }
}

/// A file with variables of the environment: `NAME=REFERENCE` in each line, and `NAME=TEXT` where texts are allowed.
struct VariableFile {
  enum Content {
    case reference(SecretReference)
    case text(String)
  }

  struct Variable {
    let name: String
    let content: Content
    /// Where it is, for errors.
    let place: String
  }

  /// The file that `coffer env` reads if none is named.
  static let manifest = ".coffer.env"

  /// Reads a file. A line may begin with `export`, and what follows "=" may be in quotes, single or double, which are
  /// removed; nothing in it is replaced. A comment may follow: white space, `#` and any text. Throws `invalidArgument`
  /// for another line, for a variable that is set twice, for a reference inside of a text, and unless `allowsTexts`,
  /// for a text that is no reference.
  static func read(_ path: String, _ map: ReferenceMap, allowsTexts: Bool) throws(VaultError) -> [Variable] {
    var variables: [Variable] = []
    var names: Set<String> = []
    for line in try TextLine.read(path, what: "file with variables") {
      let text = line.text.hasPrefix("export ") ? line.text.dropFirst("export ".count).trimmedSpace : line.text
      guard let assignment = SecretAssignment(argument: text) else {
        throw line.error("this sets no variable", recoverySuggestion: "write: NAME=coffer://GROUP/SERVICE/ACCOUNT")
      }
      guard names.insert(assignment.name).inserted else {
        throw line.error("\(assignment.name) is set twice", recoverySuggestion: "remove one of the lines")
      }
      let value = try value(of: assignment.reference, in: line)
      if ReferenceMap.isReference(value) {
        let reference = try VaultError.at(line.place) { () throws(VaultError) in try map.reference(value) }
        variables.append(Variable(name: assignment.name, content: .reference(reference), place: line.place))
      } else if ReferenceMap.firstReference(in: Array(value.utf8)[...]) != nil {
        throw line.error(
          "\(assignment.name) has a reference inside of a text, where it is not replaced",
          recoverySuggestion: "make the reference the whole value, or fill a template with `coffer inject`")
      } else if allowsTexts {
        variables.append(Variable(name: assignment.name, content: .text(value), place: line.place))
      } else {
        throw line.error(
          "\(assignment.name) has a text in place of a reference",
          recoverySuggestion:
            "store the value with `coffer set`, and write: \(assignment.name)=coffer://GROUP/SERVICE/ACCOUNT")
      }
    }
    return variables
  }

  /// Returns what follows "=", without its quotes and its comment. Throws `invalidArgument` if that is ambiguous:
  /// shells and other readers of such files would take another text.
  private static func value(of text: String, in line: TextLine) throws(VaultError) -> String {
    let start = text.unicodeScalars.drop { $0 == " " || $0 == "\t" }
    guard let quote = start.first, quote == "'" || quote == "\"" else {
      let scalars = text.unicodeScalars
      var end = scalars.endIndex
      var isAfterSpace = false
      for index in scalars.indices {
        if scalars[index] == "#", isAfterSpace {
          end = index
          break
        }
        isAfterSpace = scalars[index] == " " || scalars[index] == "\t"
      }
      return String(scalars[..<end]).trimmedSpace
    }
    var rest = start.dropFirst()
    var isEscaped = false
    guard
      let end = rest.firstIndex(where: { scalar in
        defer { isEscaped = scalar == "\\" && quote == "\"" && !isEscaped }
        return scalar == quote && !isEscaped
      })
    else {
      throw line.error("the quote of the value has no end", recoverySuggestion: "write the value in single quotes")
    }
    let value = rest[..<end]
    rest = rest[end...].dropFirst()
    let comment = rest.drop { $0 == " " || $0 == "\t" }
    guard comment.isEmpty || comment.first == "#" && comment.startIndex != rest.startIndex else {
      throw line.error(
        "text follows the closing quote of the value", recoverySuggestion: "put the whole value into single quotes")
    }
    return String(value)
  }
}

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
