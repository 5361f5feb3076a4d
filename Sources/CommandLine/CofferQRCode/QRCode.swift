internal import CQREncode
package import CofferCrypto

/// A QR code (ISO/IEC 18004) of a short text, which may be a secret: the modules are in guarded memory.
///
/// The text is stored as bytes, with error correction level M: readers restore 15 % of the codewords. A screen does not
/// need more, and each higher level makes the code larger.
///
/// libqrencode copies the text and the modules, and frees the copies without wiping them. ``FreedHeap`` overwrites them.
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
