import CofferTestSupport
import Foundation

/// One run of the tests in `Browser`, which are written in Python. They share a vault, an inspector and a browser.
enum BrowserRun {
  /// The result of a test in Python.
  struct Result: Decodable, Sendable {
    let name: String
    let passed: Bool
    let message: String
  }

  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  private static let folder = root.appending(path: "Tests/InspectorTests/Browser")

  /// The names of all tests in Python as their sources declare them, for example `test_items.Items.test_name`.
  static let names: [String] = {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return files.filter { $0.hasPrefix("test_") && $0.hasSuffix(".py") }.sorted().flatMap { file in
      let text = (try? String(contentsOf: folder.appending(path: file), encoding: .utf8)) ?? ""
      var suite = ""
      return text.split(separator: "\n").compactMap { line -> String? in
        if let match = line.firstMatch(of: /^class (\w+)/) { suite = String(match.1) }
        guard let match = line.firstMatch(of: /^    def (test_\w+)/) else { return nil }
        return "\(file.dropLast(3)).\(suite).\(match.1)"
      }
    }
  }()

  /// Runs the tests the first time, and returns the result of each by its name.
  static func results() async throws -> [String: Result] { try await run.value }

  private static let run = Task {
    try await withCheckedThrowingContinuation { continuation in
      // The run takes longer than a thread of the concurrency pool may be blocked.
      Thread.detachNewThread { continuation.resume(with: Swift.Result { try runToEnd() }) }
    }
  }

  private static func runToEnd() throws -> [String: Result] {
    let python = root.appending(path: ".build/browser/bin/python").path
    guard FileManager.default.isExecutableFile(atPath: python) else {
      throw SpawnedProgram.Failure(description: "no browser is installed; run Scripts/bootstrap --with browser")
    }
    let scratch = try TemporaryDirectory()
    let file = scratch.path("results")
    let log = try scratch.write("log", "")
    let output = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
    // Failures are in the results. The log names what happened otherwise.
    let program = try SpawnedProgram(
      [
        python, folder.appending(path: "run.py").path, "--programs", Machine.programs.path, "--results", file,
        "--workers", "2",
      ], output: output.fileDescriptor)
    let status = program.wait()
    guard let lines = try? String(contentsOfFile: file, encoding: .utf8), status == 0 || status == 1 else {
      let text = try String(contentsOfFile: log, encoding: .utf8)
      throw SpawnedProgram.Failure(description: "the tests in the browser ended with \(status): \(text)")
    }
    let results = try lines.split(separator: "\n").map { try JSONDecoder().decode(Result.self, from: Data($0.utf8)) }
    return Dictionary(results.map { ($0.name, $0) }) { $1 }
  }
}
