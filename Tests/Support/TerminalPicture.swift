package import Foundation

/// What a terminal shows of half blocks in black and white, as a picture. Other characters are blank.
package struct TerminalPicture {
  /// A character of the terminal: the greys of its upper and its lower half.
  private struct Cell {
    let upper: UInt8
    let lower: UInt8
  }

  /// The colours of a terminal's text and background.
  package enum Theme: CaseIterable, Sendable {
    case dark, light

    fileprivate var text: UInt8 { self == .dark ? 255 : 0 }
    fileprivate var background: UInt8 { self == .dark ? 0 : 255 }
  }

  /// The size of a character in pixels. The height is even.
  package struct CharacterSize: Sendable {
    package let width: Int
    package let height: Int

    package init(width: Int, height: Int) {
      self.width = width
      self.height = height
    }
  }

  private let theme: Theme
  private var rows: [[Cell]] = [[]]
  private var text: UInt8
  private var background: UInt8

  /// Shows an output. It may set the colours 16 and 231 of the 256, which no theme replaces, and reset them.
  package init(_ output: String, on theme: Theme) {
    self.theme = theme
    text = theme.text
    background = theme.background
    var scalars = output.unicodeScalars.makeIterator()
    while let scalar = scalars.next() {
      switch scalar {
      case "\u{1B}":
        var sequence = ""
        while let next = scalars.next(), next != "m" { sequence.unicodeScalars.append(next) }
        setColours(sequence)
      case "\n": rows.append([])
      case "\r": break
      case "█": append(text, text)
      case "▀": append(text, background)
      case "▄": append(background, text)
      default: append(background, background)
      }
    }
  }

  private mutating func append(_ upper: UInt8, _ lower: UInt8) {
    rows[rows.count - 1].append(Cell(upper: upper, lower: lower))
  }

  /// Follows `[38;5;N;48;5;Nm` in any order, and `[0m`.
  private mutating func setColours(_ sequence: String) {
    var numbers = sequence.dropFirst().split(separator: ";").compactMap { Int($0) }[...]
    while let number = numbers.popFirst() {
      guard number == 38 || number == 48, numbers.popFirst() == 5, let colour = numbers.popFirst() else {
        text = theme.text
        background = theme.background
        continue
      }
      let grey: UInt8 = colour == 231 ? 255 : colour == 16 ? 0 : 128
      if number == 38 { text = grey } else { background = grey }
    }
  }

  /// Returns the picture as a file in the format PGM, with four characters of the terminal's background on each side.
  package func portableGrayMap(characters size: CharacterSize) -> Data {
    let margin = 4
    let columns = (rows.map(\.count).max() ?? 0) + 2 * margin
    let blank = Cell(upper: theme.background, lower: theme.background)
    let blankRows = [[Cell]](repeating: [], count: margin)
    var pixels = Data()
    for row in blankRows + rows + blankRows {
      let cells = [Cell](repeating: blank, count: margin) + row
      let line = cells + [Cell](repeating: blank, count: columns - cells.count)
      for half in [\Cell.upper, \Cell.lower] {
        let pixelLine = line.flatMap { [UInt8](repeating: $0[keyPath: half], count: size.width) }
        for _ in 0..<size.height / 2 { pixels.append(contentsOf: pixelLine) }
      }
    }
    let height = (rows.count + 2 * margin) * (size.height / 2) * 2
    return Data("P5\n\(columns * size.width) \(height)\n255\n".utf8) + pixels
  }

  /// Reads the QR code in the picture with the program `zbarimg`. Throws an error if there is none.
  package func scannedText(characters size: CharacterSize = CharacterSize(width: 8, height: 16)) throws -> String {
    let folder = try TemporaryDirectory()
    let path = folder.path("screen.pgm")
    try portableGrayMap(characters: size).write(to: URL(fileURLWithPath: path))
    return try Command.run(
      "zbarimg", "--quiet", "--nodbus", "--raw", "-Sdisable", "-Sqrcode.enable", "--oneshot", path)
  }
}
