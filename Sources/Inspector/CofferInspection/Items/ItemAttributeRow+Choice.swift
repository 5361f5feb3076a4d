internal import CofferSystem
package import CofferVault

extension ItemAttributeRow {
  /// Returns a text as an edit takes it. A choice is given by its name or its code. Throws `invalidArgument` for another
  /// choice; `option` is what has the text, for the error.
  package func value(of text: String, named option: String) throws(VaultError) -> String {
    guard case .choice(let choices) = field, !text.isEmpty else { return text }
    let wanted = text.lowercased()
    guard let choice = choices.first(where: { $0.name.lowercased() == wanted || $0.value.lowercased() == wanted })
    else {
      throw VaultError(
        .invalidArgument, "\(option) cannot be \(text.sanitizedForTerminal())",
        recoverySuggestion: "choose one of: \(choices.map(\.name).joined(separator: ", "))")
    }
    return choice.value
  }
}
