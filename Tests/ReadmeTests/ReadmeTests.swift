import Coffer
import Foundation
import Testing

// The README's example, compiled. The test below compares it with the README.
// example begins
private func example() throws {
  let vault = try Vault.open()
  let purchase = GenericPassword(service: "store.example.com", account: "photo-pro")

  try vault.set("receipt-4711", for: purchase)
  let receipt = try vault.string(for: purchase)
  try vault.delete(purchase)

  // A group that several apps declare is shared by them.
  try vault.set("receipt-4711", for: purchase, in: "com.example.photo.purchases")
  // example ends
  _ = receipt
}

@Suite struct ReadmeTests {
  private let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  @Test func `The README has at most 200 lines`() throws {
    // The last one is empty.
    #expect(try lines(of: "README.md").count <= 201)
  }

  @Test func `The README's Swift example is the one that this test compiles`() throws {
    let readme = try lines(of: "README.md")
    let start = try #require(readme.firstIndex(of: "```swift"))
    let shown = readme[(start + 1)...].prefix { $0 != "```" }
    let source = try lines(of: "Tests/ReadmeTests/ReadmeTests.swift")
    let begin = try #require(source.firstIndex(of: "// example begins"))
    let compiled = source[(begin + 2)...].prefix { $0 != "  // example ends" }.map { String($0.dropFirst(2)) }
    #expect(Array(shown) == ["import Coffer", ""] + compiled)
  }

  @Test func `Every file and script that the README and the pages of the guide refer to exists`() throws {
    let catalog = root.appending(path: "Sources/Core/Coffer/Coffer.docc")
    let names = try FileManager.default.contentsOfDirectory(atPath: catalog.path).filter { $0.hasSuffix(".md") }
    let first = [root.appending(path: "README.md"), root.appending(path: ".github/CONTRIBUTING.md")]
    var links: [URL] = []
    var scripts: Set<String> = []
    for page in first + names.map({ catalog.appending(path: $0) }) {
      let text = try String(contentsOf: page, encoding: .utf8)
      let paths = text.matches(of: /\]\(([^)#]+)\)/).map { String($0.output.1) }.filter { !$0.contains("://") }
      links += paths.map { page.deletingLastPathComponent().appending(path: $0) }
      scripts.formUnion(text.matches(of: /Scripts\/[a-z-]+/).map { String($0.output) })
    }
    #expect(!links.isEmpty && scripts.count > 4)
    for file in links + scripts.map({ root.appending(path: $0) }) {
      #expect(FileManager.default.fileExists(atPath: file.path), "\(file.path)")
    }
  }

  private func lines(of file: String) throws -> [String] {
    try String(contentsOf: root.appending(path: file), encoding: .utf8).components(separatedBy: "\n")
  }
}
