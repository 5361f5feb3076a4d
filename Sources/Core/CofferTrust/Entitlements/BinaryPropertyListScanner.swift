/// Reads a binary property list strictly, so that every parser that accepts it reads the same texts and containers, and
/// rejects a list in which a container has two parents or contains itself.
///
/// Objects refer to each other by number, so a few hundred bytes can represent more values than fit into memory.
struct BinaryPropertyListScanner {
  private let bytes: [UInt8]
  private let offsetWidth: Int
  private let referenceWidth: Int
  private let objectCount: Int
  private let top: Int
  private let offsetTable: Int
  private var containersSeen: Set<Int> = []
  /// A limit on references: overlapping containers could otherwise list more children than the file has bytes.
  private var referencesLeft: Int
  /// A limit on text. Writers store equal texts once and refer to them several times, but the parser copies each.
  private var textLeft = 1 << 20

  private static let headerLength = 8
  private static let trailerLength = 32

  init(_ bytes: [UInt8]) throws(PropertyListFlaw) {
    guard bytes.count > Self.headerLength + Self.trailerLength else { throw PropertyListFlaw("is cut short") }
    self.bytes = bytes
    referencesLeft = bytes.count
    let trailer = bytes.count - Self.trailerLength
    offsetWidth = Int(bytes[trailer + 6])
    referenceWidth = Int(bytes[trailer + 7])
    objectCount = try Self.integer(in: bytes, at: trailer + 8, width: 8)
    top = try Self.integer(in: bytes, at: trailer + 16, width: 8)
    offsetTable = try Self.integer(in: bytes, at: trailer + 24, width: 8)
    guard (1...8).contains(offsetWidth), (1...8).contains(referenceWidth), top < objectCount,
      offsetTable >= Self.headerLength, objectCount * offsetWidth == trailer - offsetTable
    else { throw PropertyListFlaw("has a trailer that does not match its contents") }
  }

  mutating func list() throws(PropertyListFlaw) -> PropertyListValue { try value(of: top, depth: 1) }

  private mutating func value(of object: Int, depth: Int) throws(PropertyListFlaw) -> PropertyListValue {
    let start = try offset(of: object)
    switch (bytes[start] >> 4, bytes[start] & 0xF) {
    case (0xA, _):
      var values: [PropertyListValue] = []
      for child in try children(of: start, perEntry: 1, depth: depth) {
        values.append(try value(of: child, depth: depth + 1))
      }
      return .array(values)
    case (0xD, _):
      let children = try children(of: start, perEntry: 2, depth: depth)
      var values: [String: PropertyListValue] = [:]
      for (key, child) in zip(children.prefix(children.count / 2), children.suffix(children.count / 2)) {
        guard case .text(let key) = try value(of: key, depth: depth + 1) else {
          throw PropertyListFlaw("has a key that is not a string")
        }
        try values.add(try value(of: child, depth: depth + 1), forKey: key)
      }
      return .dictionary(values)
    case (0x5, _), (0x6, _): return .text(try text(at: start))
    case (0x4, _):
      let (count, first) = try container(at: start)
      _ = try contents(count: count, width: 1, at: first)
      return .other
    case (0x0, 0x8...0x9), (0x1, 0x0...0x4), (0x2, 0x2...0x3), (0x3, 0x3): return .other
    default: throw PropertyListFlaw("contains an object that is not an array, dictionary or plain value")
    }
  }

  /// Returns the numbers of the objects in the container at `start`.
  private mutating func children(
    of start: Int, perEntry: Int, depth: Int
  ) throws(PropertyListFlaw) -> [Int] {
    guard containersSeen.insert(start).inserted else {
      throw PropertyListFlaw("contains one container in two places")
    }
    guard depth <= ScannedPropertyList.maximumDepth else {
      throw PropertyListFlaw("is nested deeper than \(ScannedPropertyList.maximumDepth)")
    }
    let (count, first) = try container(at: start)
    let references = count * perEntry
    guard references <= referencesLeft else { throw PropertyListFlaw("has containers that overlap") }
    referencesLeft -= references
    guard references * referenceWidth <= offsetTable - first else {
      throw PropertyListFlaw("has an object that extends beyond its object area")
    }
    var children: [Int] = []
    for index in 0..<references {
      children.append(try Self.integer(in: bytes, at: first + index * referenceWidth, width: referenceWidth))
    }
    return children
  }

  /// Returns the text at `start`, which is ASCII or UTF-16.
  private mutating func text(at start: Int) throws(PropertyListFlaw) -> String {
    let (count, first) = try container(at: start)
    if bytes[start] >> 4 == 0x5 {
      let text = try contents(count: count, width: 1, at: first)
      // The parser reads other bytes as Latin 1.
      guard text.allSatisfy({ $0 < 0x80 }) else { throw PropertyListFlaw("has an ASCII text that is not ASCII") }
      return String(decoding: text, as: UTF8.self)
    }
    let text = try contents(count: count, width: 2, at: first)
    let units = stride(from: text.startIndex, to: text.endIndex, by: 2).map {
      UInt16(text[$0]) << 8 | UInt16(text[$0 + 1])
    }
    // The parser replaces surrogates without a partner, so that different texts become equal.
    guard let text = String(validating: units, as: UTF16.self) else {
      throw PropertyListFlaw("has a UTF-16 text that is not valid")
    }
    return text
  }

  /// Returns the bytes of a text or data.
  private mutating func contents(
    count: Int, width: Int, at first: Int
  ) throws(PropertyListFlaw) -> ArraySlice<UInt8> {
    textLeft -= count
    guard textLeft >= 0 else { throw PropertyListFlaw("repeats its texts too often") }
    guard count * width <= offsetTable - first else {
      throw PropertyListFlaw("has an object that extends beyond its object area")
    }
    return bytes[first..<(first + count * width)]
  }

  /// Returns the length of the container or text at `start`, and the offset of its contents.
  private func container(at start: Int) throws(PropertyListFlaw) -> (count: Int, first: Int) {
    let short = Int(bytes[start] & 0xF)
    guard short == 0xF else { return (short, start + 1) }
    // A greater count follows as an integer object: 0x1n, then 2^n bytes.
    let marker = try Self.integer(in: bytes, at: start + 1, width: 1)
    guard (0x10...0x13).contains(marker) else { throw PropertyListFlaw("has an object without its length") }
    let width = 1 << (marker & 0xF)
    return (try Self.integer(in: bytes, at: start + 2, width: width), start + 2 + width)
  }

  private func offset(of object: Int) throws(PropertyListFlaw) -> Int {
    guard object < objectCount else { throw PropertyListFlaw("refers to an object that does not exist") }
    let offset = try Self.integer(in: bytes, at: offsetTable + object * offsetWidth, width: offsetWidth)
    guard offset >= Self.headerLength, offset < offsetTable else {
      throw PropertyListFlaw("refers to an object outside its object area")
    }
    return offset
  }

  /// Returns a big-endian number. No count or offset in a valid list exceeds its length, so greater numbers are
  /// rejected here, and sums and products of the results cannot overflow.
  private static func integer(in bytes: [UInt8], at start: Int, width: Int) throws(PropertyListFlaw) -> Int {
    guard start >= 0, width <= bytes.count, start <= bytes.count - width else {
      throw PropertyListFlaw("is cut short")
    }
    var value: UInt64 = 0
    for byte in bytes[start..<(start + width)] { value = value << 8 | UInt64(byte) }
    guard value <= UInt64(bytes.count) else { throw PropertyListFlaw("has a number greater than its length") }
    return Int(value)
  }
}
