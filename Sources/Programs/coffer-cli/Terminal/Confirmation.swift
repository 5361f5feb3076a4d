internal import CofferTerminal
internal import CofferVault

/// The question whether something that cannot be undone is meant.
enum Confirmation {
  /// Shows what is about to happen, and asks whether it is meant.
  ///
  /// - Parameters:
  ///   - lines: What happens, a line each.
  ///   - question: The question, to which yes means to go on.
  /// - Throws: `VaultError`: `invalidArgument` if nobody can be asked; `locked` if the answer is no.
  static func ask(after lines: [String], question: String = "Go on?") throws {
    for line in lines { Terminal.printNote(line) }
    guard Terminal.isInput else {
      throw VaultError(
        .invalidArgument, "nobody can be asked whether this is meant",
        recoverySuggestion: "add --yes; nothing was changed")
    }
    guard try Terminal.askYes(question) else {
      throw VaultError(.locked, "cancelled; nothing was changed")
    }
  }
}
