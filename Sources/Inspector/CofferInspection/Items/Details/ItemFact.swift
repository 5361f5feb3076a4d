package import Coffer
package import CofferPlatform

/// A line about an item: its name, and its text as commands show it.
package struct ItemFact: Sendable {
  /// What a page makes of the text.
  package enum Content: Sendable {
    case text
    /// Digits that people compare.
    case digits
    case date(Date)
    /// The full name of an access group.
    case group(String)
    case writer(ItemWriter)
    case list([String])
    /// Another item, and its title in this place.
    case item(ItemRow, title: String)
  }

  package let name: String
  /// The text, as it is stored where it comes from the vault: show it with ``DisplayText``.
  package let text: String
  package let content: Content

  init(_ name: String, _ text: String, _ content: Content = .text) {
    self.name = name
    self.text = text
    self.content = content
  }

  init(_ term: Term, _ text: String, _ content: Content = .text) { self.init(term.rawValue, text, content) }
}
