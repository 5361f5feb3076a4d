import CofferCrypto
import CofferTestSupport
import Foundation
import Testing

@testable import CofferProgram

@Suite struct TerminalQRCodeTests {
  private static let text = "K7QX-2MPA-VD3F-R6TN-ZB4H-W5JE-YC"
  private static let unicode = ["TERM": "xterm-256color", "LANG": "en_GB.UTF-8"]
  /// 29 modules, and the quiet zone.
  private static let columns = 37

  /// What a terminal shows, and whether the program says that the code is there.
  private func output(columns: Int, environment: [String: String], text: String = text) throws -> (String, Bool) {
    let line = try TerminalLine(columns: columns)
    let secret = SecretText(copying: text.utf8)
    return try line.output { try TerminalQRCode.print(secret, on: line.descriptor, environment: environment) }
  }

  @Test(arguments: [columns, 80, 200])
  func `A terminal that is wide enough shows a code that can be scanned`(columns: Int) throws {
    let (shown, isDrawn) = try output(columns: columns, environment: Self.unicode)
    #expect(isDrawn)
    #expect(try TerminalPicture(shown, on: .dark).scannedText() == Self.text)
  }

  @Test(arguments: [columns - 1, 20, 0])
  func `A terminal that is too narrow or does not say its width shows no code`(columns: Int) throws {
    #expect(try output(columns: columns, environment: Self.unicode) == ("", false))
  }

  @Test(arguments: [
    ["TERM": "xterm", "LANG": "C"], ["TERM": "xterm"], ["TERM": "dumb", "LANG": "en_GB.UTF-8"], ["LANG": "C.UTF-8"],
    ["TERM": "xterm", "LANG": "de_DE.UTF-8", "LC_ALL": "POSIX"],
    ["TERM": "xterm", "LANG": "de_DE.UTF-8", "LC_CTYPE": "de_DE.ISO-8859-1"],
  ])
  func `A terminal without UTF-8 or colours shows no code`(environment: [String: String]) throws {
    #expect(try output(columns: 80, environment: environment) == ("", false))
  }

  @Test(arguments: [
    ["TERM": "linux", "LANG": "C.utf8"], ["TERM": "xterm", "LC_CTYPE": "UTF-8"],
    ["TERM": "xterm", "LC_ALL": "", "LC_CTYPE": "de_DE.UTF-8@euro", "LANG": "C"],
  ])
  func `A terminal with UTF-8 by any variable of the locale shows the code`(environment: [String: String]) throws {
    let (shown, isDrawn) = try output(columns: 80, environment: environment)
    #expect(isDrawn && shown.contains("▀"))
  }

  @Test func `A file gets no code`() throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write("output", "")
    let file = try #require(FileHandle(forWritingAtPath: path))
    let text = SecretText(copying: Self.text.utf8)
    #expect(try !TerminalQRCode.print(text, on: file.fileDescriptor, environment: Self.unicode))
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)).isEmpty)
  }

  @Test func `A text that no code holds is left to the text`() throws {
    let text = String(repeating: "x", count: 400)
    #expect(try output(columns: 200, environment: Self.unicode, text: text) == ("", false))
  }
}
