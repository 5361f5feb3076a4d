/// An element of an XML document, with what was kept of its contents.
final class XMLElement {
  let name: String
  let attributes: [String: String]
  fileprivate(set) var bytes: [UInt8] = []
  fileprivate(set) var children: [XMLElement] = []

  fileprivate init(name: String, attributes: [String: String]) {
    self.name = name
    self.attributes = attributes
  }

  /// The text, which expat has checked to be UTF-8.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The first child with a name.
  subscript(_ name: String) -> XMLElement? { children.first { $0.name == name } }

  /// The text of the first child with a name.
  func text(_ name: String) -> String? { self[name]?.text }

  /// The children with a name.
  func all(_ name: String) -> [XMLElement] { children.filter { $0.name == name } }
}

extension XMLElement {
  /// Begins a child.
  func begin(_ name: String, _ attributes: [String: String]) -> XMLElement {
    XMLElement(name: name, attributes: attributes)
  }

  func append(_ text: UnsafeRawBufferPointer) { unsafe bytes.append(contentsOf: text) }

  func keep(_ child: XMLElement) { children.append(child) }

  /// The element that contains the document's own.
  static func document() -> XMLElement { XMLElement(name: "", attributes: [:]) }
}
