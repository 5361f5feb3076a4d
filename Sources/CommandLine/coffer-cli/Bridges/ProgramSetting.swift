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
    findings += .missingProgram(of: command, in: path, install: Bridges.installCommand(forMark: mark))
    if !FileManager.default.isExecutableFile(atPath: path) {
      findings += .problem(
        .bridgeNotExecutable, subject: path, message: "It is not executable, so no program can start it.",
        fix: "Run: chmod +x \(path.shellWord)")
    } else if isFoundByName, let found = Self.find(name) {
      if found != path {
        findings += .problem(
          .bridgeShadowed, subject: path, message: "PATH leads to another program of this name: \(found).",
          fix: "Put its folder first with `\(pathCommand)` and log in again, or remove that program.")
      }
    } else if isFoundByName {
      findings += .problem(
        .bridgeNotInPath, subject: path, message: "PATH does not lead to it, so no program finds it.",
        fix: "Add its folder with `\(pathCommand)` and log in again.")
    }
    return findings
  }

  /// The command that puts the program's folder before all others when the user logs in.
  private var pathCommand: String {
    "echo \("PATH=\(path.parentFolder.shellWord):$PATH".shellWord) >> ~/.profile"
  }

  /// Returns the path of the first program of a name in `PATH`.
  static func find(_ name: String) -> String? {
    (CurrentProcess.variable("PATH") ?? "").split(separator: ":").map { "\($0)/\(name)" }
      .first(where: FileManager.default.isExecutableFile)
  }
}

/// The entry `credential.helper` in git's configuration of this user.
struct GitHelperSetting: BridgeSetting {
  let command: String

  private static let key = "credential.helper"
  /// Which entries are the bridge's: those that an installation writes, and no others that run it.
  private static let pattern =
    "^!('.*/coffer'|[^' ]*/coffer) bridge git( --app ('.*'|[^' ]+))?( --group ('.*'|[^' ]+))?$"

  var place: String { "\(Self.key) = !\(command) in git's configuration of this user (git config --global)" }
  var wanted: String { command }

  func current() throws(VaultError) -> String? {
    guard Self.isInstalled else { return nil }
    let outcome = try Self.run(["--get-all", Self.key, Self.pattern])
    // Of a file that git cannot read, it has said why.
    guard [.code(0), .code(1)].contains(outcome.exit) else { throw Self.file.unusable("cannot be read by git") }
    let text = String(decoding: outcome.output, as: UTF8.self).split(separator: "\n").first
    return outcome.exit == .code(0) ? text.map { String($0.drop { $0 == "!" }) } : nil
  }

  // git asks all helpers that the configuration names.
  func checkIsFree() {}

  func write() throws(VaultError) {
    guard try Self.run(["--replace-all", Self.key, "!\(command)", Self.pattern]).exit == .code(0) else {
      throw Self.failure
    }
  }

  func present() throws(VaultError) -> [String] { try current().map { [GitHelperSetting(command: $0).place] } ?? [] }

  func remove() throws(VaultError) {
    guard try current() != nil else { return }
    guard try Self.run(["--unset-all", Self.key, Self.pattern]).exit == .code(0) else { throw Self.failure }
  }

  func findings() throws(VaultError) -> [Finding] {
    guard let command = try current() else { return [] }
    let helpers = String(decoding: try Self.run(["--get-all", Self.key]).output, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    guard let own = helpers.lastIndex(of: "!\(command)") else { return [] }
    let subject = "\(Self.key) in git's configuration of this user"
    var findings: [Finding] = []
    findings += .missingProgram(of: command, in: subject, install: BridgeGitCommand.installCommand)
    if helpers[own...].contains("") {
      findings += .problem(
        .bridgeForgottenHelpers, subject: subject,
        message: "An empty entry after that of Coffer makes git forget the helpers before it.",
        fix: "Move the empty entry before the others with: git config --global --edit")
    }
    // git takes the first answer, and tells all helpers what to store.
    let start = helpers[..<own].lastIndex(of: "").map { $0 + 1 } ?? 0
    if let first = helpers[start..<own].first {
      findings += .advice(
        .bridgeOtherHelper, subject: subject,
        message: "git asks another helper before Coffer, and stores passwords there too: \(first)",
        fix: "Remove that entry with: git config --global --edit")
    }
    return findings
  }

  /// The file of `git config --global`.
  private static var file: UserFile {
    let home = UserFile.home(".gitconfig")
    let configuration = UserFile.configuration("git/config")
    let own = isAbsent(home.path) && !isAbsent(configuration.path) ? configuration : home
    return .named(by: "GIT_CONFIG_GLOBAL", or: own)
  }

  private static var isInstalled: Bool { ProgramSetting.find("git") != nil }

  private static var failure: VaultError {
    VaultError(
      .io, "git's configuration could not be changed", recoverySuggestion: "see why with: git config --global --edit")
  }

  private static func run(_ arguments: [String]) throws(VaultError) -> (exit: ChildProcess.Exit, output: [UInt8]) {
    do throws(SystemError) {
      return try ChildProcess.output(of: "git", arguments: ["config", "--global"] + arguments)
    } catch {
      throw VaultError(.io, "\(error)", recoverySuggestion: "install git")
    }
  }
}

extension ChildProcess {
  /// Runs a program that `PATH` leads to, and returns how it ended and the first of what it has printed, by default 4
  /// MiB.
  static func output(
    of program: String, arguments: [String], errors: StandardStream = .inherited, maximumByteCount: Int = 4 << 20
  ) throws(SystemError) -> (exit: Exit, output: [UInt8]) {
    let pipe = try Descriptor.pipe()
    let child = try start(
      program, arguments: arguments, searchesPath: true, input: .null, output: .descriptor(pipe.theirs.rawValue),
      errors: errors)
    let output = pipe.closeTheirs().readToEnd(maximumByteCount: maximumByteCount)
    return (child.wait(), output)
  }

  /// Runs a program that `PATH` leads to, with an input and without an output, and returns how it ended. What it starts
  /// in the background does not keep this process's streams open.
  static func give(_ input: Data, to program: String, arguments: [String]) throws(SystemError) -> Exit {
    let pair = try Descriptor.socketPair()
    let child = try start(
      program, arguments: arguments, searchesPath: true, input: .descriptor(pair.theirs.rawValue), output: .null)
    send(input, through: pair.closeTheirs())
    return child.wait()
  }

  private static func send(_ input: Data, through end: consuming Descriptor) {
    unsafe input.withUnsafeBytes { unsafe end.sendAll($0) }
  }
}
