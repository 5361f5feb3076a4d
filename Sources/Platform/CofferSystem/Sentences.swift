extension StringProtocol {
  /// The text with a capital at its beginning, as a sentence has it. For words of this program only: a name from a vault
  /// is shown as it is spelled.
  package var startingSentence: String { prefix(1).uppercased() + dropFirst() }

  /// A clause as a sentence: with a capital and a full stop, but none after a command, of which it would seem a part.
  package var asSentence: String {
    let text = startingSentence
    return text.hasSuffix(".") || text.commandStart != nil ? text : text + "."
  }

  /// Where the command begins that ends the text, after a colon: "list the items with: coffer list"; nil if none does.
  package var commandStart: Index? {
    var start: Index?
    var rest = self[...]
    while let colon = rest.firstIndex(of: ":") {
      rest = rest[colon...].dropFirst()
      if [" coffer ", " sudo ", " git ", " kill "].contains(where: rest.hasPrefix) {
        start = rest.index(after: rest.startIndex)
      }
    }
    return start
  }
}
