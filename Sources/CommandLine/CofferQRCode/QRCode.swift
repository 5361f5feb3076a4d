internal import CQREncode
package import CofferCrypto
internal import CofferPlatform

/// A QR code (ISO/IEC 18004) of a short text, which may be a secret: the modules are in guarded memory.
///
/// The text is stored as bytes, with error correction level M: readers restore 15 % of the codewords. A screen does not
/// need more, and each higher level makes the code larger.
///
/// libqrencode copies the text and the modules, and frees the copies without wiping them. ``FreedHeap`` overwrites
/// them.
package struct QRCode: Sendable {
  /// The largest number of bytes of a text. With more, the code and its quiet zone do not fit into 80 columns.
  package static let maximumByteCount = 331

  /// The number of modules that must stay light on each side of the code.
  package static let quietZone = 4

  /// The number of modules on each side, without the quiet zone: 21, 25, 29 … 69.
  package let width: Int
  /// A byte for each module, row by row: 1 for a dark one, 0 for a light one.
  private let modules: SecretText

  /// Makes the smallest code of a text of 1…``maximumByteCount`` bytes of printable ASCII. Throws for another text, and
  /// if no memory is left.
  package init(_ text: SecretText) throws(QRCodeError) {
    guard !text.isEmpty else { throw .empty }
    guard text.count <= Self.maximumByteCount else { throw .tooLong }
    guard unsafe text.withBytes({ unsafe $0.allSatisfy { (0x20...0x7E).contains($0) } }) else { throw .notPrintable }
    // Deferred first and so executed last: also the memory that QRcode_free frees is overwritten.
    defer { FreedHeap.overwrite() }
    let symbol = unsafe text.withBytes { bytes in
      unsafe bytes.withMemoryRebound(to: UInt8.self) { bytes in
        // Version 0 is the smallest that holds the text.
        unsafe QRcode_encodeData(Int32(bytes.count), bytes.baseAddress, 0, QR_ECLEVEL_M)
      }
    }
    // The only error that is left for a valid text.
    guard let symbol = unsafe symbol else { throw .outOfMemory }
    let width = Int(unsafe symbol.pointee.width)
    let octets = unsafe UnsafeMutableRawBufferPointer(start: symbol.pointee.data, count: width * width)
    defer {
      unsafe octets.wipe()
      unsafe QRcode_free(symbol)
    }
    self.width = width
    modules = SecretText(capacity: width * width) { buffer in
      // The other bits say what a module is for.
      for index in octets.indices { buffer.append(unsafe octets[index] & 1) }
    }
  }

  /// Whether the module in a row and a column is dark. Modules outside of the code are light.
  package subscript(row row: Int, column column: Int) -> Bool {
    guard (0..<width).contains(row), (0..<width).contains(column) else { return false }
    return unsafe modules.withBytes { unsafe $0[row * width + column] == 1 }
  }
}

/// The reason why a text has no QR code. It contains nothing of the text.
package enum QRCodeError: Error, Hashable, Sendable {
  /// The text is empty.
  case empty
  /// The text has more than ``QRCode/maximumByteCount`` bytes.
  case tooLong
  /// The text has a byte that is not printable ASCII. Readers guess the encoding of other characters.
  case notPrintable
  /// The system has no memory left for the code.
  case outOfMemory
}

extension QRCode {
  /// The number of a terminal's columns that the drawing takes, with the quiet zone: 29…77.
  package var columns: Int { width + 2 * Self.quietZone }

  /// Returns a drawing for a terminal that shows UTF-8 and 256 colours, in lines that end with a newline.
  ///
  /// Each character shows two modules, one above the other, because a character is about twice as high as it is wide.
  /// The colours are black and white of the colour cube, which terminals show as they are: themes replace the first 16
  /// colours, and on a dark terminal the code would otherwise be inverted, which many readers do not recognise. The
  /// bytes are in guarded memory: who has them can read the text.
  package func terminalDrawing() -> SecretText {
    let start = Array("\u{1B}[38;5;16;48;5;231m".utf8)
    let end = Array("\u{1B}[0m\n".utf8)
    // A row below the quiet zone, for an even number, makes it one module higher.
    let rows = stride(from: -Self.quietZone, to: width + Self.quietZone, by: 2)
    let lineByteCount = start.count + 3 * columns + end.count
    return SecretText(capacity: rows.underestimatedCount * lineByteCount) { drawing in
      for row in rows {
        for byte in start { drawing.append(byte) }
        for column in -Self.quietZone..<(width + Self.quietZone) {
          drawing.append(upper: self[row: row, column: column], lower: self[row: row + 1, column: column])
        }
        for byte in end { drawing.append(byte) }
      }
    }
  }
}

extension SecretBuffer {
  /// Appends the character that is dark where a module is.
  fileprivate mutating func append(upper: Bool, lower: Bool) {
    guard upper || lower else {
      append(UInt8(ascii: " "))
      return
    }
    // U+2580 ▀, U+2584 ▄ and U+2588 █ in UTF-8.
    append(0xE2)
    append(0x96)
    append(upper && lower ? 0x88 : upper ? 0x80 : 0x84)
  }
}

/// Memory that a C library has freed without wiping it.
///
/// C libraries that know nothing of secrets give their copies back as they are, and offer no other allocator. What the
/// library's thread has freed last is what the allocator gives to the next callers of the same thread. So blocks of all
/// sizes are taken, wiped and given back. An allocator can keep something back: this is no guarantee, but a test finds
/// nothing in the memory of a process with glibc.
enum FreedHeap {
  /// The sizes of glibc's small blocks, which it keeps in one list for each size; then larger blocks, which reach the
  /// rest of the heap and which glibc merges when they are freed.
  private static let sizes = Array(stride(from: 24, through: 1032, by: 16)) + [2, 4, 8, 16, 32, 64].map { $0 << 10 }
  /// glibc keeps 7 blocks of a size for a thread, and others for all threads.
  private static let blocksOfEachSize = 16

  /// Overwrites what the calling thread has freed, as far as the allocator gives it out again: up to 2.5 MB.
  static func overwrite() {
    var blocks: [UInt] = []
    blocks.reserveCapacity(sizes.count * blocksOfEachSize)
    for size in sizes {
      for _ in 0..<blocksOfEachSize {
        guard let block = unsafe malloc(size) else { break }
        unsafe UnsafeMutableRawBufferPointer(start: block, count: size).wipe()
        blocks.append(UInt(bitPattern: block))
      }
    }
    for block in blocks { unsafe free(UnsafeMutableRawPointer(bitPattern: block)) }
  }
}
