package import CofferFormat

/// The name of an item in a sentence, such as `github.com, jane`.
package struct ItemTitle: Sendable {
  /// The text. It can contain any character: escape it for a terminal or a page.
  package let text: String

  package init(_ attributes: ItemAttributes, of itemClass: ItemClass) {
    let names = ItemNames(attributes, of: itemClass)
    text = names.subtitle.isEmpty ? names.title : "\(names.title), \(names.subtitle)"
  }
}
