internal import Foundation

/// One run of tests that are written in Python: a folder with modules `test_….py` and a program `run.py`, which writes
/// the result of each test as a line of JSON.
package struct PythonTestRun {
  /// The result of a test in Python.
  package struct Result: Decodable, Sendable {
    package let name: String
    package let passed: Bool
    package let message: String
  }

  private let folder: URL
  private let packages: String

  /// Describes a run.
  ///
  /// - Parameters:
  ///   - folder: The folder of the tests in this checkout.
  ///   - packages: What `Scripts/bootstrap --with` installs Python and its packages for, below `.build`.
  package init(folder: String, packages: String) {
    self.folder = DocumentationPage.root.appending(path: folder)
    self.packages = packages
  }

  /// The names of all tests in Python as their sources declare them, for example `test_items.Items.test_name`.
  package var names: [String] {
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
  }

  /// Runs tests.
  ///
  /// - Parameter names: The tests, also by their class or module; none for all.
  /// - Returns: The result of each by its name.
  /// - Throws: An error if their requirements are not installed, or if they did not run to their end.
  package func results(of names: [String] = []) throws -> [String: Result] {
    let python = DocumentationPage.root.appending(path: ".build/\(packages)/bin/python").path
    guard FileManager.default.isExecutableFile(atPath: python) else {
      throw SpawnedProgram.Failure(
        description: "\(folder.path) cannot run; install what it requires with: Scripts/bootstrap --with \(packages)")
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
      ] + names, output: output.fileDescriptor)
    let status = program.wait()
    guard let lines = try? String(contentsOfFile: file, encoding: .utf8), status == 0 || status == 1 else {
      let text = try String(contentsOfFile: log, encoding: .utf8).suffix(10_000)
      throw SpawnedProgram.Failure(description: "the tests in \(folder.path) ended with \(status): \(text)")
    }
    let results = try lines.split(separator: "\n").map { try JSONDecoder().decode(Result.self, from: Data($0.utf8)) }
    return Dictionary(results.map { ($0.name, $0) }) { $1 }
  }
}
