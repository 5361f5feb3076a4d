import CofferTestSupport
import Foundation
import Testing

/// `Scripts/check-vectors`, by which any implementation of the format is tested.
@Suite struct VectorKitTests {
  private static let script = DocumentationPage.root.appending(path: "Scripts/check-vectors").path

  /// Runs the script and returns its exit code with the end of what it prints.
  private func check(_ client: String...) throws -> (code: String, text: String) {
    // The script names each of hundreds of cases.
    let run = try Command.run(
      arguments: ["sh", "-c", #"{ "$@"; echo "exit $?"; } 2>&1 | tail -n 3"#, "sh", Self.script] + client)
    let lines = run.split(separator: "\n")
    return (String(lines.last ?? ""), run)
  }

  @Test func `The second implementation gives the expected answer to every vector`() throws {
    let (code, text) = try check()
    #expect(code == "exit 0", "\(text)")
    let counts = try #require(text.firstMatch(of: /(\d+) of (\d+) vectors gave the expected result/))
    #expect(counts.output.1 == counts.output.2 && Int(counts.output.2).map { $0 > 430 } == true)
  }

  @Test func `A client that answers wrongly, not in JSON, or not at all fails`() throws {
    let wrong = try check("sh", "-c", #"while read -r line; do echo '{"outcome": "accept"}'; done"#)
    #expect(wrong.code == "exit 1" && wrong.text.contains("vectors gave the expected result"), "\(wrong.text)")
    let garbled = try check("sh", "-c", "while read -r line; do echo yes; done")
    #expect(garbled.code == "exit 1" && garbled.text.contains("no line with an object in JSON"), "\(garbled.text)")
    let ended = try check("true")
    #expect(ended.code == "exit 1" && ended.text.contains("the client has ended"), "\(ended.text)")
  }
}
