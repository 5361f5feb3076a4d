import CofferTestSupport
import Foundation
import Testing

@Suite struct EnvironmentTests {
  private let sources: URL
  /// The text of each Swift file, by its path below `Sources`.
  private let texts: [String: String]

  init() throws {
    sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources")
    let paths = try FileManager.default.subpathsOfDirectory(atPath: sources.path).filter { $0.hasSuffix(".swift") }
    let sources = sources
    texts = try Dictionary(
      uniqueKeysWithValues: paths.map { ($0, try String(contentsOf: sources.appending(path: $0), encoding: .utf8)) })
  }

  @Test func `Environment variables are read in one place, which ignores them in a process with elevated privileges`() {
    func files(with words: String...) -> [String] {
      texts.filter { text in words.contains { text.value.contains($0) } }.keys.sorted()
    }
    #expect(files(with: "processInfo.environment", "getenv(") == [])
    // Beside it: what gives the variables to children.
    let folder = "Platform/CofferSystem"
    #expect(
      files(with: "coffer_environment") == [
        "\(folder)/ChildProcess.swift", "\(folder)/CurrentProcess.swift", "\(folder)/ObservedProgram.swift",
      ])
  }

  @Test func `The page about stability has every environment variable of the sources, and no other`() throws {
    let page = try DocumentationPage("WhatIsStable").lines.joined(separator: "\n")
    let read = texts.values.reduce(into: Set<String>()) { names, text in
      names.formUnion(text.matches(of: /"(COFFER_[A-Z_]+[A-Z])"/).map { String($0.1) })
    }
    let named = Set(page.matches(of: /`(COFFER_[A-Z_]+[A-Z])`/).map { String($0.1) })
    let ofTests = read.filter { $0.hasPrefix("COFFER_FAULT_") || $0.hasPrefix("COFFER_TEST_") }
    #expect(named == read.subtracting(ofTests))
  }
}
