/// A value with one encoding.
package protocol Coded: Sendable {
  func write(to writer: inout ByteWriter)
  init(from reader: inout ByteReader) throws(FormatError)
}

extension ByteWriter {
  /// Writes a 32-bit count, then each element.
  package mutating func list(_ elements: [some Coded]) { list(elements) { $1.write(to: &$0) } }
}

extension ByteReader {
  /// Reads a count of at most `cap`, then as many elements.
  package mutating func list<Element: Coded>(_ field: String, cap: Int) throws(FormatError) -> [Element] {
    try list(field, cap: cap) { (reader) throws(FormatError) in try Element(from: &reader) }
  }

  /// Reads a list in which each element is greater than the one before it by a key.
  package mutating func ascendingList<Element: Coded>(
    _ field: String, cap: Int, by key: (Element) -> some Comparable
  ) throws(FormatError) -> [Element] {
    try ascendingList(field, cap: cap, by: key) { (reader) throws(FormatError) in try Element(from: &reader) }
  }

  /// Reads a list in which each element is greater than the one before it.
  package mutating func ascendingList<Element: Coded & Comparable>(
    _ field: String, cap: Int
  ) throws(FormatError) -> [Element] {
    try ascendingList(field, cap: cap, by: { $0 })
  }
}
