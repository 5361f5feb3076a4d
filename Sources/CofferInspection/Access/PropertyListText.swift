internal import Foundation

/// The text of a property list, for people.
package struct PropertyListText: Hashable, Sendable {
  /// XML.
  package let text: String
  /// Whether the property list is binary, and the text shows what it contains.
  package let isConverted: Bool

  /// Creates the text of an XML or binary property list. One that cannot be read becomes a note.
  package init(_ bytes: [UInt8]) {
    if !bytes.starts(with: Array("bplist".utf8)) {
      text = String(decoding: bytes, as: UTF8.self)
      isConverted = false
      return
    }
    var format = PropertyListSerialization.PropertyListFormat.binary
    isConverted = true
    if let list = try? unsafe PropertyListSerialization.propertyList(from: Data(bytes), format: &format),
      let xml = try? PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
    {
      text = String(decoding: xml, as: UTF8.self)
    } else {
      text = "(a binary property list that cannot be read)"
    }
  }
}
