package import Foundation

/// A simulated machine: a temporary home folder, in which the real programs run as processes.
package final class Machine {
  /// The result of a program.
  package struct Outcome: Sendable, CustomStringConvertible {
    /// The exit code; nil if a signal ended the program.
    package let exitCode: Int32?
    package let output: Data
    package let errors: String
    /// The number of the signal that ended the program; nil if it exited.
    package let signal: Int32?

    /// Standard output as text, without the newline at its end.
    package var text: String { String(decoding: output, as: UTF8.self).trimmingCharacters(in: .newlines) }

    package var description: String {
      "exit \(exitCode.map(String.init) ?? "signal \(signal ?? 0)"), output: \(text), errors: \(errors)"
    }
  }

  /// The folder that represents the machine's disk.
  package let directory: TemporaryDirectory
  /// The environment of every program on this machine, apart from PATH and the variables that a test adds.
  package var environment: [String: String]
  /// The environment that a machine begins with.
  private let initialEnvironment: [String: String]
  /// A program with arguments that runs every program on this machine, for instance that of a ``SmallDisk``.
  package var wrapper: [String] = []

  /// `COFFER_HOME` of this machine.
  package var home: URL { directory.url.appending(path: "home") }
  /// The vault's folder.
  package var vault: URL { home.appending(path: "vaults/default") }

  package init() throws {
    directory = try TemporaryDirectory()
    initialEnvironment = [
      "LANG": "C.UTF-8", "COFFER_TEST_PASSPHRASE_COST": "floor", "HOME": directory.path,
      "COFFER_HOME": directory.url.appending(path: "home").path,
      // Where no agent listens unless a test starts one.
      "COFFER_TEST_RUNTIME": directory.path("run"),
    ]
    environment = initialEnvironment
  }

  /// Whether programs on this machine would do the same as functions in this process: the test has neither changed
  /// their environment nor wrapped them.
  package var isPlain: Bool { wrapper.isEmpty && environment == initialEnvironment }

  /// The folder of the programs under test: the one that contains the test bundle.
  package static let programs: URL = {
    let arguments = CommandLine.arguments.first.map { URL(fileURLWithPath: $0) }
    let own = Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" } ?? arguments
    return (own ?? URL(fileURLWithPath: ".")).resolvingSymlinksInPath().deletingLastPathComponent()
  }()

  /// Returns the path of a program under test.
  package static func path(of program: String) -> String { programs.appending(path: program).path }

  /// Starts a program under test without waiting for it.
  ///
  /// - Parameters:
  ///   - program: The name of the program.
  ///   - arguments: The program's arguments.
  ///   - input: The bytes of standard input.
  ///   - extra: Additional variables of the environment.
  ///   - wrapper: A program with arguments that runs the program, for instance `setpriv` or `timeout`.
  /// - Returns: The running program.
  /// - Throws: An error if the program cannot be started.
  package func start(
    _ program: String, _ arguments: [String], input: Data = Data(), environment extra: [String: String] = [:],
    wrapper: [String] = []
  ) throws -> RunningProgram {
    try RunningProgram(
      command: self.wrapper + wrapper + [program.hasPrefix("/") ? program : Self.path(of: program)] + arguments,
      input: input,
      environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]
        .merging(environment) { $1 }.merging(extra) { $1 }.filter { !$0.value.isEmpty },
      scratch: directory)
  }

  /// Runs a program under test to its end. An empty value in `environment` removes the variable.
  @discardableResult
  package func run(
    _ program: String, _ arguments: String..., input: Data = Data(), environment: [String: String] = [:],
    wrapper: [String] = []
  ) throws -> Outcome {
    try start(program, arguments, input: input, environment: environment, wrapper: wrapper).wait()
  }

  /// Runs `coffer` and returns its output as text; throws an error with its output unless it exits with 0.
  @discardableResult
  package func coffer(_ arguments: String..., input: String = "") throws -> String {
    try succeed("coffer", arguments, input: input)
  }

  /// Runs a program under test and returns its output as text; throws unless it exits with 0.
  @discardableResult
  package func succeed(_ program: String, _ arguments: [String] = [], input: String = "") throws -> String {
    let outcome = try start(program, arguments, input: Data(input.utf8)).wait()
    guard outcome.exitCode == 0 else {
      throw SpawnedProgram.Failure(description: "\(program) \(arguments.joined(separator: " ")): \(outcome)")
    }
    return outcome.text
  }

  /// Creates a vault without a passphrase and returns the path of the file with its vault key.
  @discardableResult
  package func makeVault(name: String = "laptop") throws -> String {
    let key = directory.path("vault-key")
    try coffer("init", "--name", name, "--no-passphrase", "--vault-key-file", key)
    return key
  }

  /// Creates a vault with a passphrase and returns the path of the file that contains it.
  @discardableResult
  package func makeVault(name: String = "laptop", passphrase: String) throws -> String {
    let file = try directory.write("passphrase", passphrase)
    try coffer("init", "--name", name, "--passphrase-file", file, "--vault-key-file", directory.path("vault-key"))
    return file
  }

  /// Registers the entitlements of an example app, by its name in the folder Entitlements.
  package func register(_ example: String) throws {
    try coffer("app", "add", Self.entitlements(of: example))
  }

  /// Returns the path of an example's plist in this checkout.
  package static func entitlements(of example: String) -> String {
    DocumentationPage.root.appending(path: "Entitlements/\(example).entitlements").path
  }

  /// Returns a machine with all files of this one's `COFFER_HOME`, and the file of its vault key if it has one: it
  /// takes a fraction of the time of making a vault.
  package func copied() throws -> Machine {
    let copy = try Machine()
    let files = [home.path, directory.path("vault-key")].filter { FileManager.default.fileExists(atPath: $0) }
    try Command.run(arguments: ["cp", "-a"] + files + [copy.directory.path])
    return copy
  }

  /// Returns every regular file below the machine's `COFFER_HOME`.
  package func files() -> [URL] {
    let keys: [URLResourceKey] = [.isRegularFileKey]
    let all = FileManager.default.enumerator(at: home, includingPropertiesForKeys: keys, options: [])
    return (all?.compactMap { $0 as? URL } ?? []).filter {
      (try? $0.resourceValues(forKeys: Set(keys)).isRegularFile) == true
    }
  }
}
