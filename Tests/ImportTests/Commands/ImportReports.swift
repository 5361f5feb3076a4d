import CofferTestSupport
import Foundation

/// The output of `coffer import --json`.
struct ImportSummary: Decodable, Equatable {
  struct Skipped: Decodable, Equatable {
    let name: String
    let reason: String
  }

  let entryCount: Int
  let newCount: Int
  let sameCount: Int
  let changedCount: Int
  let skipped: [Skipped]
  let advice: String?

  /// New, same, changed and skipped.
  var counts: [Int] { [newCount, sameCount, changedCount, skipped.count] }
}

extension Machine {
  /// Runs `coffer import` and returns its report. The exit code must be 1 if something was skipped, and 0 otherwise.
  func imported(_ arguments: String...) throws -> ImportSummary { try imported(arguments) }

  /// Runs `coffer import` and returns its report, as the other form does.
  func imported(_ arguments: [String]) throws -> ImportSummary {
    let outcome = try start("coffer", ["import"] + arguments + ["--json"]).wait()
    guard [0, 1].contains(outcome.exitCode),
      let report = try? JSONDecoder().decode(ImportSummary.self, from: outcome.output),
      outcome.exitCode == (report.skipped.isEmpty ? 0 : 1)
    else { throw SpawnedProgram.Failure(description: "coffer import \(arguments): \(outcome)") }
    return report
  }

  /// Returns the file of `coffer export json`, which has every item with every attribute.
  func exportedJSON() throws -> String {
    let path = directory.path("export-\(UUID().uuidString).json")
    try coffer("export", "json", path, "--yes")
    return try String(contentsOfFile: path, encoding: .utf8)
  }

  /// Returns an item's value as bytes.
  func value(_ names: String...) throws -> [UInt8] {
    let outcome = try start("coffer", ["get"] + names).wait()
    guard outcome.exitCode == 0 else { throw SpawnedProgram.Failure(description: "get \(names): \(outcome)") }
    return [UInt8](outcome.output)
  }

  /// Writes a file with bytes, and returns its path.
  func write(_ name: String, _ bytes: [UInt8]) throws -> String {
    let path = directory.path(name)
    try Data(bytes).write(to: URL(filePath: path))
    return path
  }
}
