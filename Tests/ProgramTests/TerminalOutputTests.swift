import CofferTestSupport
import Foundation
import Testing

@Suite struct TerminalOutputTests {
  private let app = ["--app", "com.example.photo.pro"]

  /// Stores a value, and returns what `coffer get` with these options shows on a terminal.
  private func shown(_ value: Data, _ options: String...) throws -> String {
    let machine = try Machine.withExamples()
    #expect(try machine.start("coffer", ["set", "s", "a"] + app, input: value).wait().exitCode == 0)
    let terminal = try PseudoTerminal(
      machine, program: Machine.path(of: "coffer"), ["get", "s", "a"] + app + options)
    #expect(terminal.wait() == 0, "\(terminal.screen)")
    // In a pipe every value is written byte for byte.
    #expect(try machine.start("coffer", ["get", "s", "a"] + app + options).wait().output == value)
    return terminal.screen
  }

  @Test func `A value that could control the terminal is shown with escapes and a note`() throws {
    let screen = try shown(Data("a\u{1B}[2Jb\u{9B}1mc\u{202E}d\u{2028}e\r\n\tf\u{7F}".utf8))
    #expect(
      screen.hasPrefix("a\\u{1B}[2Jb\\u{9B}1mc\\u{202E}d\\u{2028}e\\u{D}\r\n\tf\\u{7F}\r\n")
        && screen.hasSuffix("use --raw\r\n"), "\(screen)")
  }

  @Test func `A value that is not UTF-8 is shown on the terminal byte by byte`() throws {
    let screen = try shown(Data([0xFF, 0x00, 0x61, 0x0A, 0x1B, 0x0F, 0xC3, 0xA9]))
    #expect(screen.hasPrefix("\\xFF\\x00a\r\n\\x1B\\x0F\\xC3\\xA9\r\n"), "\(screen)")
    #expect(screen.hasSuffix("use --raw\r\n"), "\(screen)")
  }

  @Test func `--raw writes a value to the terminal unchanged`() throws {
    #expect(try shown(Data("a\u{1B}[1mb".utf8), "--raw") == "a\u{1B}[1mb")
  }

  @Test func `A value of several lines is shown on the terminal as it is, without a note`() throws {
    #expect(try shown(Data("one\n\ttwo\\ é 日本 👍\n".utf8)) == "one\r\n\ttwo\\ é 日本 👍\r\n\r\n")
  }

  @Test func `JSON has escapes for the characters that could control the terminal`() throws {
    let machine = try Machine.withExamples()
    let account = "a\u{9B}1m\u{202E}\u{E0001}é"
    try machine.succeed("coffer", ["set", "s", account] + app, input: "v")
    let text = try machine.succeed("coffer", ["list", "--json"] + app)
    #expect(text.contains("\"a\\u009b1m\\u202e\\udb40\\udc01é\""), "\(text)")
    #expect(try machine.json([ItemRow].self, "list", "--app", "com.example.photo.pro").map(\.account) == [account])
  }
}
