extension StringProtocol {
  /// The text with a capital at its beginning, as a sentence has it.
  package var startingSentence: String { prefix(1).uppercased() + dropFirst() }
}
