import CofferCrypto
import CofferQRCode
import CofferTestSupport
import Foundation
import Testing

@Suite struct QRCodeTests {
  private func drawing(of text: String) throws -> String {
    unsafe try QRCode(SecretText(copying: text.utf8)).terminalDrawing().withBytes {
      unsafe String(decoding: $0, as: UTF8.self)
    }
  }

  @Test(arguments: [1, 14, 15, 40, 62, 107, 213, 331], TerminalPicture.Theme.allCases)
  func `A reader of QR codes reads the drawing on a dark and on a light terminal`(
    byteCount: Int, theme: TerminalPicture.Theme
  ) throws {
    let text = SampleText.text(byteCount: byteCount)
    #expect(try TerminalPicture(drawing(of: text), on: theme).scannedText() == text)
  }

  @Test(arguments: [(7, 16), (9, 18), (10, 20), (12, 22)])
  func `A reader of QR codes reads the drawing with the characters of any font`(width: Int, height: Int) throws {
    let text = "coffer clone ssh://git@host.example.com/srv/vault.git --invite K7QX-2MPA-VD3F-R6TN-ZB4H-W5JE-YC"
    let size = TerminalPicture.CharacterSize(width: width, height: height)
    #expect(try TerminalPicture(drawing(of: text), on: .dark).scannedText(characters: size) == text)
  }

  @Test(arguments: [1, 14, 331])
  func `The drawing begins and ends with a quiet zone of four modules in white, and fits into 80 columns`(
    byteCount: Int
  ) throws {
    let text = SampleText.text(byteCount: byteCount)
    let code = try QRCode(SecretText(copying: text.utf8))
    let lines = try drawing(of: text).split(separator: "\n")
    #expect(code.columns == code.width + 8 && code.columns <= 80)
    // Two modules in a line, and the number of modules is odd.
    #expect(lines.count == (code.columns + 1) / 2)
    let colours = "\u{1B}[38;5;16;48;5;231m"
    for line in lines {
      #expect(line.hasPrefix(colours + "    ") && line.hasSuffix("    \u{1B}[0m"))
      #expect(line.dropFirst(colours.count).dropLast("\u{1B}[0m".count).count == code.columns)
    }
    let blank = colours + String(repeating: " ", count: code.columns) + "\u{1B}[0m"
    #expect(lines.prefix(2).allSatisfy { $0 == blank } && lines.suffix(2).allSatisfy { $0 == blank })
    #expect(lines[2] != blank && lines[lines.count - 3] != blank)
  }

  @Test func `The modules have the three finder patterns, and are light outside of the code`() throws {
    let code = try QRCode(SecretText(copying: "COFFER".utf8))
    #expect(code.width == 21)
    for (row, column) in [(0, 0), (0, 14), (14, 0)] {
      #expect((0..<7).allSatisfy { code[row: row, column: column + $0] && code[row: row + $0, column: column] })
      #expect(!code[row: row + 1, column: column + 1] && code[row: row + 3, column: column + 3])
    }
    for (row, column) in [(-1, 0), (0, -1), (21, 0), (0, 21)] { #expect(!code[row: row, column: column]) }
  }

  @Test(arguments: [
    ("", QRCodeError.empty), (SampleText.text(byteCount: 332), .tooLong), ("caf\u{E9}", .notPrintable),
    ("line\n", .notPrintable), ("\u{1B}[2J", .notPrintable), ("a\u{0}b", .notPrintable), ("\u{7F}", .notPrintable),
  ])
  func `A text that is empty, too long or not printable has no code`(text: String, error: QRCodeError) {
    #expect(throws: error) { _ = try QRCode(SecretText(copying: text.utf8)) }
  }
}
