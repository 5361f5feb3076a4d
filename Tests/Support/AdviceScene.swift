internal import Foundation

/// A situation in which `coffer doctor` or the inspector finds something, and what a person does who follows the
/// advice.
package struct AdviceScene {
  /// Something that is found, as `coffer doctor --json` prints it.
  package struct Finding: Decodable, Hashable {
    package let kind, subject, message, fix: String

    package init(kind: String, subject: String, message: String, fix: String) {
      (self.kind, self.subject, self.message, self.fix) = (kind, subject, message, fix)
    }
  }

  /// Returns what is found.
  package var find: () throws -> [Finding]
  /// Runs a command line.
  package var run: (String) throws -> Machine.Outcome
  /// The end of the subject that is meant, if several have the finding.
  package var subject = ""
  /// What a person types in place of words of the advice.
  package var texts: KeyValuePairs<String, String> = [:]
  /// The options that answer the questions of commands, by the beginning of a command.
  package var answers: KeyValuePairs<String, String> = [:]
  /// Whether a person runs a command. An advice can name two ways.
  package var isChosen: (String) -> Bool = { _ in true }
  /// The exit code of each command: that of `coffer sync` is another one if it names problems.
  package var exitCode: Int32 = 0
  /// What the advice says in words, to do before and after the commands.
  package var before: () throws -> Void = {}
  package var after: () throws -> Void = {}

  /// What the scene needs, such as a remote.
  package var keepsAlive: [Any] = []

  package init(find: @escaping () throws -> [Finding], run: @escaping (String) throws -> Machine.Outcome) {
    (self.find, self.run) = (find, run)
  }

  /// A scene on a machine, on which `doctor` runs. Root needs no sudo.
  package init(_ machine: Machine) {
    self.init(
      find: {
        try JSONDecoder().decode([Finding].self, from: machine.run("coffer", "doctor", "--json").output)
      },
      run: { command in
        let path = machine.environment["PATH"] ?? ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return try machine.start(
          "/bin/sh", ["-c", "cd ~ && \(command.replacing("sudo ", with: ""))"],
          environment: ["PATH": "\(Machine.programs.path):\(path)"]
        ).wait()
      })
  }

  /// Follows the advice, and throws unless each command is successful and the finding is gone.
  package func carryOut(_ kind: String) throws {
    defer { extendLifetime(keepsAlive) }
    let all = try find()
    guard let finding = all.first(where: { $0.kind == kind && $0.subject.hasSuffix(subject) }) else {
      throw failure("\(kind) is not found: \(all)")
    }
    let commands = Self.commands(in: finding.fix).filter(isChosen)
    guard !commands.isEmpty else { throw failure("no command is advised: \(finding)") }
    try before()
    for command in commands {
      var typed = command
      for (text, replacement) in texts { typed.replace(text, with: replacement) }
      for (beginning, options) in answers where typed.hasPrefix(beginning) { typed += " " + options }
      let outcome = try run(typed)
      guard outcome.exitCode == exitCode else { throw failure("\(typed): \(outcome); \(finding)") }
    }
    try after()
    if let left = try find().first(where: { $0.kind == kind && $0.subject == finding.subject }) {
      throw failure("after \(commands), this is left: \(left)")
    }
  }

  private func failure(_ text: String) -> SpawnedProgram.Failure { SpawnedProgram.Failure(description: text) }

  private static let programs: Set<String> = [
    "coffer", "sudo", "chmod", "kill", "rm", "ls", "systemctl", "git", "cp", "echo", "mv",
  ]

  /// The commands of an advice: what is between backquotes, and what follows the last colon.
  package static func commands(in advice: String) -> [String] {
    let parts = advice.split(separator: "`", omittingEmptySubsequences: false)
    let quoted = parts.enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
    let last = parts.last.flatMap { $0.components(separatedBy: ": ").last }.map { [$0] } ?? []
    return (quoted + last).filter { command in
      // Variables can come first.
      let program = command.split(separator: " ").first { $0.prefixMatch(of: /[A-Z_]+=/) == nil }
      return programs.contains(program.map(String.init) ?? "")
    }
  }
}
