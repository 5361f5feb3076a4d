internal import CofferCrypto
internal import CofferPlatform
internal import CofferSystem

/// The searchable texts of an index: folded bytes in blocks that never move, so that no copy is left in memory when
/// they are wiped.
struct IndexText: Sendable {
  /// The place of one item's texts.
  struct Place: Sendable {
    fileprivate(set) var block: UInt32 = 0
    fileprivate(set) var start: UInt32 = 0
    /// The ends of the first and the second text, and of all texts.
    fileprivate(set) var titleEnd: UInt16 = 0
    fileprivate(set) var subtitleEnd: UInt16 = 0
    fileprivate(set) var end: UInt16 = 0
  }

  private static let blockByteCount = 1 << 20
  /// The number of bytes of each text that are searched and sorted by.
  static let maximumTextByteCount = 1_024
  private static let separator = UInt8(ascii: "\n")

  private var blocks: [[UInt8]] = []
  /// The size of the texts that are no longer used.
  private(set) var unusedByteCount = 0

  /// The size of all blocks.
  var byteCount: Int { blocks.count * Self.blockByteCount }

  /// Returns a text without case and diacritics, as bytes of UTF-8.
  static func folded(_ text: some StringProtocol) -> [UInt8] {
    let bytes = text.utf8.prefix(maximumTextByteCount)
    if bytes.allSatisfy({ $0 < 0x80 }) {
      return bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }
    return Array(String(decoding: bytes, as: UTF8.self).folded(ignoresWidth: true).utf8.prefix(maximumTextByteCount))
  }

  /// Appends the texts of an item, the first two of which it can be sorted by.
  mutating func append(title: String, subtitle: String, others: [String]) -> Place {
    var bytes = Self.folded(title)
    var place = Place()
    place.titleEnd = UInt16(bytes.count)
    bytes.append(Self.separator)
    bytes += Self.folded(subtitle)
    place.subtitleEnd = UInt16(bytes.count)
    for other in others.prefix(16) {
      bytes.append(Self.separator)
      bytes += Self.folded(other)
    }
    place.end = UInt16(bytes.count)
    if blocks.last.map({ $0.count + bytes.count > Self.blockByteCount }) ?? true {
      var block: [UInt8] = []
      block.reserveCapacity(Self.blockByteCount)
      blocks.append(block)
    }
    place.block = UInt32(blocks.count - 1)
    place.start = UInt32(blocks[blocks.count - 1].count)
    blocks[blocks.count - 1].append(contentsOf: bytes)
    bytes.wipe()
    return place
  }

  /// Overwrites the texts of an item with zeros.
  mutating func remove(_ place: Place) {
    let start = Int(place.start)
    for index in start..<(start + Int(place.end)) { blocks[Int(place.block)][index] = 0 }
    unusedByteCount += Int(place.end)
  }

  /// Overwrites all texts.
  mutating func wipe() {
    for index in blocks.indices { blocks[index].wipe() }
    blocks = []
    unusedByteCount = 0
  }

  /// Returns whether the texts of an item contain all words, none of which is empty.
  func contains(_ words: [[UInt8]], at place: Place) -> Bool {
    unsafe blocks[Int(place.block)].withUnsafeBytes { block in
      let texts = unsafe UnsafeRawBufferPointer(rebasing: block[Int(place.start)..<Int(place.start) + Int(place.end)])
      return words.allSatisfy { unsafe Self.isFound($0, in: texts) }
    }
  }

  private static func isFound(_ word: [UInt8], in texts: UnsafeRawBufferPointer) -> Bool {
    guard let start = texts.baseAddress, let first = word.first else { return false }
    var offset = 0
    // The last place at which the word can begin.
    let last = texts.count - word.count
    while offset <= last {
      guard let place = unsafe memchr(start + offset, Int32(first), last - offset + 1) else { return false }
      if unsafe memcmp(place, word, word.count) == 0 { return true }
      offset = unsafe place - UnsafeMutableRawPointer(mutating: start) + 1
    }
    return false
  }

  /// Compares two items by their titles or subtitles. Negative if the first one comes first, zero if they are equal.
  func compare(_ left: Place, _ right: Place, bySubtitle: Bool) -> Int {
    let leftRange = range(of: left, isSubtitle: bySubtitle)
    let rightRange = range(of: right, isSubtitle: bySubtitle)
    let order = unsafe blocks[Int(left.block)].withUnsafeBytes { leftBlock in
      unsafe blocks[Int(right.block)].withUnsafeBytes { rightBlock -> Int32 in
        guard let first = leftBlock.baseAddress, let second = rightBlock.baseAddress else { return 0 }
        return unsafe memcmp(
          first + leftRange.lowerBound, second + rightRange.lowerBound, min(leftRange.count, rightRange.count))
      }
    }
    return order != 0 ? Int(order) : leftRange.count - rightRange.count
  }

  private func range(of place: Place, isSubtitle: Bool) -> Range<Int> {
    let start = Int(place.start)
    return isSubtitle
      ? (start + Int(place.titleEnd) + 1)..<(start + Int(place.subtitleEnd)) : start..<(start + Int(place.titleEnd))
  }
}
