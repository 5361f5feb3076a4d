/// Scans the containers of a binary property list without building values, and rejects a list in which a container has
/// two parents or contains itself.
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
      offsetTable >= Self.headerLength, objectCount * offsetWidth <= trailer - offsetTable
    else { throw PropertyListFlaw("has a trailer that does not match its contents") }
  }

  /// Returns the number of keys of the outermost dictionary; 0 if the outermost object is not a dictionary.
  mutating func outermostKeyCount() throws(PropertyListFlaw) -> Int {
    let start = try offset(of: top)
    let keyCount = bytes[start] >> 4 == 0xD ? try container(at: start).count : 0
    var pending = [(offset: start, depth: 1)]
    while let (object, depth) = pending.popLast() {
      guard let children = try children(of: object) else { continue }
      guard containersSeen.insert(object).inserted else {
        throw PropertyListFlaw("contains one container in two places")
      }
      guard depth <= PropertyListShape.maximumDepth else {
        throw PropertyListFlaw("is nested deeper than \(PropertyListShape.maximumDepth)")
      }
      for child in children { pending.append((child, depth + 1)) }
    }
    return keyCount
  }

  /// Returns the offsets of the objects in the container at `start`; nil if the object is not a container.
  private mutating func children(of start: Int) throws(PropertyListFlaw) -> [Int]? {
    let referencesPerEntry: Int
    switch bytes[start] >> 4 {
    case 0xA: referencesPerEntry = 1
    case 0xD: referencesPerEntry = 2
    case 0x4...0x7:
      textLeft -= try container(at: start).count
      guard textLeft >= 0 else { throw PropertyListFlaw("repeats its texts too often") }
      return nil
    case 0x0...0x3, 0x8: return nil
    default: throw PropertyListFlaw("contains an object that is not an array, dictionary or plain value")
    }
    let (count, first) = try container(at: start)
    let references = count * referencesPerEntry
    guard references <= referencesLeft else { throw PropertyListFlaw("has containers that overlap") }
    referencesLeft -= references
    var offsets: [Int] = []
    for index in 0..<references {
      let reference = try Self.integer(in: bytes, at: first + index * referenceWidth, width: referenceWidth)
      offsets.append(try offset(of: reference))
    }
    return offsets
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
