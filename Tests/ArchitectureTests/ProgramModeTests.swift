import CofferTestSupport
import Foundation
import Testing

/// Whoever may read a program may attach to its process while it starts, so nobody but its owner may.
@Suite struct ProgramModeTests {
  @Test(arguments: ["install", "package"])
  func `Scripts install every program with the mode 0711`(script: String) throws {
    let file = DocumentationPage.root.appending(path: "Scripts/\(script)")
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { line in
      line.contains(/^ *install .*"\$(bin|programs)\//)
    }
    #expect(!lines.isEmpty)
    #expect(lines.allSatisfy { $0.contains(" -m 711 ") }, "\(lines)")
  }
}
