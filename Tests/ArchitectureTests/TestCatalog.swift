import CofferTestSupport
import Foundation

/// The tests of all targets, for pages that name them.
struct TestCatalog {
  private let names: Set<String>

  init() throws {
    let folder = DocumentationPage.root.appending(path: "Tests")
    var names: Set<String> = []
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where path.hasSuffix("Tests.swift") {
      let file = folder.appending(path: path)
      // A suite is in the file that has its name. Two targets may have suites of one name.
      let suite = file.deletingPathExtension().lastPathComponent
      let text = try String(contentsOf: file, encoding: .utf8)
      guard text.contains("struct \(suite) {") else { continue }
      for part in text.components(separatedBy: "func `").dropFirst() {
        names.insert("\(suite): \(part.prefix { $0 != "`" })")
      }
    }
    self.names = names
  }

  /// Returns whether a suite has a test of this name.
  func contains(_ test: some StringProtocol, of suite: some StringProtocol) -> Bool {
    names.contains("\(suite): \(test)")
  }
}
