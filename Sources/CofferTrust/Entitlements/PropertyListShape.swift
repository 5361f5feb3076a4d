/// What a property list is made of, found before Foundation's parser sees it: how many keys its outermost dictionary
/// has, and that it is safe to parse.
///
/// Foundation keeps one of two equal keys without saying which, expands a binary list whose containers are shared into
/// more values than memory holds (a few hundred bytes suffice), and recurses as deep as the list is nested. The
/// entitlements of an app must read the same on every machine, and no list may stop its reader.
struct PropertyListShape {
  /// Containers nested deeper than this are refused. Entitlements need two.
  static let maximumDepth = 32

  /// The bytes to parse: for XML, UTF-8 without byte order mark and without the declaration that could name another
  /// encoding.
  let bytes: [UInt8]
  /// The keys of the outermost dictionary, equal ones counted each.
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

/// What is wrong with bytes that should be a property list.
struct PropertyListFlaw: Error {
  /// The rest of a sentence that starts with the list.
  let what: String

  init(_ what: String) { self.what = what }
}
