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

  /// New, same, changed and skipped.
  var counts: [Int] { [newCount, sameCount, changedCount, skipped.count] }
}

extension Machine {
  /// Runs `coffer import` and returns its report.
  func imported(_ arguments: String...) throws -> ImportSummary {
    let text = try succeed("coffer", ["import"] + arguments + ["--json"])
    return try JSONDecoder().decode(ImportSummary.self, from: Data(text.utf8))
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
