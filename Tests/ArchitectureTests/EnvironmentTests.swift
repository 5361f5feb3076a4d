import Foundation
import Testing

@Suite struct EnvironmentTests {
  @Test func `Environment variables are read in one place, which ignores them in a process with elevated privileges`()
    throws
  {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let sources = root.appending(path: "Sources")
    var readers: [String] = []
    for path in try FileManager.default.subpathsOfDirectory(atPath: sources.path) where path.hasSuffix(".swift") {
      let text = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
      if text.contains("processInfo.environment") || text.contains("getenv(") { readers.append(path) }
    }
    #expect(readers == ["CofferSystem/CurrentProcess.swift"])
  }
}
