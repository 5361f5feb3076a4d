/// A property list that a scanner has read and found safe to parse.
///
/// Foundation's parser keeps either of two equal keys, accepts XML that other parsers reject or read differently,
/// expands a binary list with shared containers into more values than fit into memory (a few hundred bytes suffice),
/// and recurses as deep as the list is nested. The entitlements of an app must be the same on every machine, and no
/// list may crash its reader. The scanners therefore accept only lists with one meaning, and the parser must agree.
package struct ScannedPropertyList: Hashable, Sendable {
  /// The maximum nesting of containers. Entitlements need two levels.
  static let maximumDepth = 32

  /// The bytes to parse. For XML, the `plist` element alone, in UTF-8: the declaration before it could name another
  /// encoding.
  package let bytes: [UInt8]
  /// The outermost value.
  package let value: PropertyListValue
  /// True for the binary format, false for XML.
  package let isBinary: Bool

  /// Scans a property list in XML or in the binary format. Throws if it is malformed, ambiguous or unsafe to parse.
  package init(_ bytes: [UInt8]) throws(PropertyListFlaw) {
    isBinary = bytes.starts(with: "bplist0".utf8)
    if isBinary {
      self.bytes = bytes
      var scanner = try BinaryPropertyListScanner(bytes)
      value = try scanner.list()
    } else {
      var scanner = try XMLPropertyListScanner(bytes)
      let element: Range<Int>
      (value, element) = try scanner.list()
      // FoundationEssentials does not find the end of <key/>.
      var list: [UInt8] = []
      var start = element.lowerBound
      for key in scanner.emptyKeys {
        list += bytes[start..<key.lowerBound]
        list += "<key></key>".utf8
        start = key.upperBound
      }
      self.bytes = list + bytes[start..<element.upperBound]
    }
  }
}
