import CofferTestSupport
import Foundation

/// Runs `Scripts/attacker`: a second implementation of the format, which writes into a repository with somebody's keys.
struct Attacker {
  /// What somebody's keys open in the whole history of a repository.
  struct Opened: Decodable {
    struct Item: Decodable {
      let account: String
      let value: String
    }

    struct Branch: Decodable {
      /// The number of log entries that open, one after another.
      let entries: Int?
    }

    let branches: [String: Branch]
    /// The log entries of each branch that open and have boxes.
    let boxed: [String: [String]]
    let items: [Item]
    /// The log entries and segments that do not open.
    let unopened: [String]
  }

  let remote: TemporaryRemote
  /// Homes of machines, headless credentials, and files with vault keys.
  let keys: [String]

  /// Runs a subcommand.
  ///
  /// - Parameters:
  ///   - arguments: The subcommand with its arguments.
  ///   - branch: The branch to write to; nil for that of the latest epoch.
  ///   - generation: The transport key that seals what is written; nil for the newest that the keys open.
  /// - Returns: The paths of the files that it has written, the last one last, and the branch of that.
  /// - Throws: An error with the program's output if it fails.
  @discardableResult
  func run(_ arguments: String..., on branch: String? = nil, generation: Int? = nil) throws -> Attack {
    try run(arguments, on: branch, generation: generation)
  }

  @discardableResult
  func run(_ arguments: [String], on branch: String? = nil, generation: Int? = nil) throws -> Attack {
    var options = ["--repository", remote.path] + keys.flatMap { ["--keys", $0] }
    if let branch { options += ["--branch", branch] }
    if let generation { options += ["--generation", String(generation)] }
    let output = try Command.run(arguments: [Self.program] + options + arguments)
    let written = output.split(separator: "\n").map { $0.split(separator: ":", maxSplits: 1).map(String.init) }
    return Attack(branch: written.last?.first ?? "", paths: written.compactMap { $0.count == 2 ? $0[1] : nil })
  }

  /// Returns what the keys open now.
  func opened() throws -> Opened {
    let output = try Command.run(
      arguments: [Self.program, "--repository", remote.path] + keys.flatMap { ["--keys", $0] } + ["show"])
    return try JSONDecoder().decode(Opened.self, from: Data(output.utf8))
  }

  private static let program = DocumentationPage.root.appending(path: "Scripts/attacker").path
}

/// What an attacker has written.
struct Attack {
  let branch: String
  let paths: [String]
}
