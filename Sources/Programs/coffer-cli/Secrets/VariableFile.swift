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
  /// removed; nothing in it is replaced. Throws `invalidArgument` for another line, for a variable that is set twice, and
  /// unless `allowsTexts`, for a text that is no reference.
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
      let value = unquoted(assignment.reference)
      if ReferenceMap.isReference(value) {
        let reference = try line.translating { () throws(VaultError) in try map.reference(value) }
        variables.append(Variable(name: assignment.name, content: .reference(reference), place: line.place))
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

  private static func unquoted(_ text: String) -> String {
    let scalars = text.unicodeScalars
    guard scalars.count > 1, let quote = scalars.first, quote == "'" || quote == "\"", scalars.last == quote else {
      return text
    }
    return String(scalars.dropFirst().dropLast())
  }
}
