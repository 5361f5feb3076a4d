internal import CofferTerminal
internal import CofferVault

/// The question whether something that cannot be undone is meant.
enum Confirmation {
  /// Shows what is about to happen, a line each, and asks whether it is meant: yes means to go on. Throws
  /// `invalidArgument` if nobody can be asked, and `locked` if the answer is no.
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
