/// A line about an item in words: its name and its text, as pages and commands show them.
package struct ItemFact: Sendable, Hashable {
  package let name: String
  /// The text, as it is stored where it comes from the vault: show it with ``DisplayText``.
  package let text: String

  init(_ name: String, _ text: String) {
    self.name = name
    self.text = text
  }
}
