internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

/// A program in `~/.local/bin` that other programs start, and that is replaced by `coffer`.
struct ProgramSetting: BridgeSetting {
  let name: String
  let command: String
  let mark: String
  /// Whether other programs know its name only, and look for it in `PATH`.
  let isFoundByName: Bool
  /// Whether what other programs give it can begin with a hyphen, and is no option then.
  var takesNoOptions = false

  private var file: UserFile { .home(".local/bin/\(name)") }

  var path: String { file.path }
  var place: String { path }
  var wanted: String { command }

  private static let begin = "exec "
  private var end: String { takesNoOptions ? " -- \"$@\"" : " \"$@\"" }

  func current() throws(VaultError) -> String? {
    guard !isAbsent(path), let lines = try? file.read()?.split(separator: "\n"), lines.count == 3, lines[1] == mark,
      lines[2].hasPrefix(Self.begin), lines[2].hasSuffix(end)
    else { return nil }
    return String(lines[2].dropFirst(Self.begin.count).dropLast(end.count))
  }

  func checkIsFree() throws(VaultError) {
    guard !isAbsent(path), try current() == nil else { return }
    throw VaultError(
      .invalidArgument, "\(path.sanitizedForTerminal(limit: .max)) is another program; nothing was changed",
      recoverySuggestion: "move it away with `mv \(path.shellWord) \((path + ".old").shellWord)`, then try again")
  }

  func write() throws(VaultError) {
    try file.write("#!/bin/sh\n\(mark)\n\(Self.begin)\(command)\(end)\n", mode: 0o755)
  }

  func remove() throws(VaultError) { if try current() != nil { try file.delete() } }

  func findings() throws(VaultError) -> [Finding] {
    guard let command = try current() else { return [] }
    var findings: [Finding] = []
    let install = "coffer bridge install \(mark.split(separator: " ").last ?? "")"
    if let missing = Finding.missingProgram(of: command, in: path, install: install) { findings.append(missing) }
    if !FileManager.default.isExecutableFile(atPath: path) {
      findings.append(
        Finding(
          .bridgeNotExecutable, .problem, subject: path, message: "It is not executable, so no program can start it.",
          fix: "Run: chmod +x \(path.shellWord)"))
    } else if isFoundByName, let found = Self.find(name) {
      if found != path {
        findings.append(
          Finding(
            .bridgeShadowed, .problem, subject: path, message: "PATH leads to another program of this name: \(found).",
            fix: "Put its folder first with `\(pathCommand)` and log in again, or remove that program."))
      }
    } else if isFoundByName {
      findings.append(
        Finding(
          .bridgeNotInPath, .problem, subject: path, message: "PATH does not lead to it, so no program finds it.",
          fix: "Add its folder with `\(pathCommand)` and log in again."))
    }
    return findings
  }

  /// The command that puts the program's folder before all others when the user logs in.
  private var pathCommand: String {
    "echo \("PATH=\(path.parentFolder.shellWord):$PATH".shellWord) >> ~/.profile"
  }

  /// Returns the path of the first program of a name in `PATH`.
  static func find(_ name: String) -> String? {
    (CurrentProcess.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
      .first(where: FileManager.default.isExecutableFile)
  }
}
