/// Scans the tags of an XML property list without building values.
struct XMLPropertyListScanner {
  private let bytes: [UInt8]
  private var index = 0
  private var depth = 0
  private var keyCount = 0
  private var position = Position.beforeList

  private enum Position { case beforeList, inList, afterList }

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Returns the text without byte order mark and `<?xml … ?>`.
  ///
  /// Only UTF-8 is accepted: in UTF-16 or UTF-7, this scanner and the parser would see different tags.
  static func withoutDeclaration(_ bytes: [UInt8]) throws(PropertyListFlaw) -> [UInt8] {
    guard String(validating: bytes, as: UTF8.self) != nil, !bytes.contains(0) else {
      throw PropertyListFlaw("is not UTF-8 text")
    }
    var scanner = XMLPropertyListScanner(bytes)
    if scanner.at("\u{FEFF}") { scanner.index += 3 }
    if scanner.at("<?xml") { try scanner.skip(past: "?>") }
    return Array(bytes[scanner.index...])
  }

  /// Returns the number of `key` elements directly inside the outermost dictionary.
  mutating func outermostKeyCount() throws(PropertyListFlaw) -> Int {
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "<") {
        try skipMarkup()
      } else if position != .inList, !isSpace(bytes[index]) {
        throw PropertyListFlaw("has text outside <plist>")
      } else {
        index += 1
      }
    }
    guard position == .afterList else { throw PropertyListFlaw("has no complete <plist> element") }
    return keyCount
  }

  private mutating func skipMarkup() throws(PropertyListFlaw) {
    if at("<!--") {
      try skip(past: "-->")
    } else if at("<![CDATA[") {
      guard position == .inList else { throw PropertyListFlaw("has text outside <plist>") }
      try skip(past: "]]>")
    } else if at("<!DOCTYPE"), position == .beforeList {
      let start = index
      try skip(past: ">")
      guard !bytes[start..<index].contains(UInt8(ascii: "[")) else {
        throw PropertyListFlaw("declares its own document type")
      }
    } else if at("<!") || at("<?") {
      throw PropertyListFlaw("contains a declaration or processing instruction, such as <!ENTITY")
    } else {
      try skipTag()
    }
  }

  private mutating func skipTag() throws(PropertyListFlaw) {
    let start = index
    try skip(past: ">")
    var tag = bytes[(start + 1)..<(index - 1)]
    let isEnd = tag.first == UInt8(ascii: "/")
    if isEnd { tag.removeFirst() }
    let isEmpty = tag.last == UInt8(ascii: "/")
    if isEmpty { tag.removeLast() }
    let name = tag.prefix { !isSpace($0) }

    if name.elementsEqual("plist".utf8) {
      switch (position, isEnd, isEmpty) {
      case (.beforeList, false, false): position = .inList
      case (.inList, true, false): position = .afterList
      default: throw PropertyListFlaw("has a misplaced <plist>")
      }
      return
    }
    guard position == .inList else { throw PropertyListFlaw("has an element outside <plist>") }
    guard tag.dropFirst(name.count).allSatisfy(isSpace) else {
      throw PropertyListFlaw("has an element with attributes")
    }
    if name.elementsEqual("key".utf8), !isEnd, depth == 1 {
      keyCount += 1
    } else if name.elementsEqual("dict".utf8) || name.elementsEqual("array".utf8), !isEmpty {
      depth += isEnd ? -1 : 1
      guard depth >= 0 else { throw PropertyListFlaw("closes more elements than it opens") }
      guard depth <= PropertyListShape.maximumDepth else {
        throw PropertyListFlaw("is nested deeper than \(PropertyListShape.maximumDepth)")
      }
    }
  }

  private func at(_ text: String) -> Bool { bytes[index...].starts(with: text.utf8) }

  private mutating func skip(past text: String) throws(PropertyListFlaw) {
    while index < bytes.count {
      if at(text) {
        index += text.utf8.count
        return
      }
      index += 1
    }
    throw PropertyListFlaw("ends in the middle of a tag")
  }

  private func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || (UInt8(ascii: "\t")...UInt8(ascii: "\r")).contains(byte)
  }
}
