internal import CofferCrypto

/// A secret sealed to one recipient.
package struct AddressedBox: Hashable, Coded {
  /// The recipient: a principal, an admin, or ``AuthorID/root``.
  package let recipient: AuthorID
  /// A libsodium sealed box of 64 secret bytes, 112 bytes long.
  package let box: [UInt8]

  /// The size of ``box`` in bytes.
  package static let boxByteCount = 64 + BoxKey.overheadByteCount

  package init(recipient: AuthorID, box: [UInt8]) {
    self.recipient = recipient
    self.box = box
  }

  package func write(to writer: inout ByteWriter) {
    writer.fixed(recipient.raw)
    writer.fixed(box)
  }

  package init(from reader: inout ByteReader) throws(FormatError) {
    recipient = AuthorID(try reader.bytes16("recipient"))
    box = try reader.fixed(Self.boxByteCount, "box")
  }
}

/// The boxes of one key, in ascending order of recipient. They stay in the bytes from which they were read: a large
/// vault has thousands of them, of which a program opens one.
package struct BoxTable: Sendable {
  private let bytes: [UInt8]
  private let start: Int
  package let count: Int

  static let elementByteCount = Bytes16.count + AddressedBox.boxByteCount

  /// A table without boxes.
  package static let empty = BoxTable([], at: 0, count: 0)

  /// Creates a table of the elements that start at a position. The bytes must contain all of them.
  init(_ bytes: [UInt8], at start: Int, count: Int) {
    self.bytes = bytes
    self.start = start
    self.count = count
  }

  private func place(_ index: Int) -> Int { start + index * Self.elementByteCount }

  private func recipient(_ index: Int) -> AuthorID { AuthorID(Bytes16(in: bytes, at: place(index))) }

  private func box(_ index: Int) -> [UInt8] {
    let start = place(index) + Bytes16.count
    return Array(bytes[start..<start + AddressedBox.boxByteCount])
  }

  /// Returns the box of a recipient; nil if there is none.
  package subscript(recipient: AuthorID) -> [UInt8]? {
    index(of: recipient, among: count, at: self.recipient).map(box)
  }

  /// All boxes in ascending order of recipient.
  package var boxes: [AddressedBox] {
    (0..<count).map { AddressedBox(recipient: recipient($0), box: box($0)) }
  }

  var isAscending: Bool {
    guard count > 1 else { return true }
    var last = recipient(0)
    for index in 1..<count {
      let next = recipient(index)
      guard last < next else { return false }
      last = next
    }
    return true
  }
}

/// Returns which of `count` elements, whose keys are in ascending order, has a key; nil if none has.
func index<Key: Comparable>(of key: Key, among count: Int, at keyOf: (Int) -> Key) -> Int? {
  var (low, high) = (0, count)
  while low < high {
    let middle = (low + high) / 2
    if keyOf(middle) < key { low = middle + 1 } else { high = middle }
  }
  return low < count && keyOf(low) == key ? low : nil
}
