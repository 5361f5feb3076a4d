/// The number of keys in a property list's outermost dictionary, determined by a scan that rejects lists which are
/// unsafe to parse.
///
/// Foundation's parser keeps either of two equal keys, expands a binary list with shared containers into more values
/// than fit into memory (a few hundred bytes suffice), and recurses as deep as the list is nested. The entitlements of
/// an app must be the same on every machine, and no list may crash its reader.
struct PropertyListShape {
  /// The maximum nesting of containers. Entitlements need two levels.
  static let maximumDepth = 32

  /// The bytes to parse. For XML, UTF-8 without byte order mark, and without the declaration, which could name another
  /// encoding.
  let bytes: [UInt8]
  /// The number of keys of the outermost dictionary, including duplicates.
  let keyCount: Int
  let isBinary: Bool

  init(of bytes: [UInt8]) throws(PropertyListFlaw) {
    isBinary = bytes.starts(with: "bplist0".utf8)
    if isBinary {
      self.bytes = bytes
      var scanner = try BinaryPropertyListScanner(bytes)
      keyCount = try scanner.outermostKeyCount()
    } else {
      self.bytes = try XMLPropertyListScanner.withoutDeclaration(bytes)
      var scanner = XMLPropertyListScanner(self.bytes)
      keyCount = try scanner.outermostKeyCount()
    }
  }
}
