package import CofferCrypto

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
