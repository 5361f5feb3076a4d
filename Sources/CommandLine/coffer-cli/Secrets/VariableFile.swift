internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

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
        let reference = try line.translating { () throws(VaultError) in try map.reference(value) }
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
