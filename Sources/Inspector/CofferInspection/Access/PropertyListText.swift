internal import CofferPlatform
internal import CofferTrust

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
    isConverted = true
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .xml
    if let list = try? PropertyListDecoder().decode(ParsedPropertyList.self, from: Data(bytes)),
      let xml = try? encoder.encode(list)
    {
      text = String(decoding: xml, as: UTF8.self)
    } else {
      text = "(a binary property list that cannot be read)"
    }
  }
}
