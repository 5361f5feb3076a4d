internal import ArgumentParser
internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Run a program with secrets in its environment.",
    discussion: """
      Everything after -- is the program and its arguments, without a shell in between. `coffer` is replaced by it, so that \
      its signals, its exit code and its terminal are its own. The values are in its environment only, where other programs \
      of the same user can read them (/proc/PID/environ); --file gives it the path of a file in memory instead. References \
      that the environment has already are replaced by their values too, but not with --deny-reads.

      With --mask, `coffer` stays and replaces the values in what the program prints by [masked]. Other forms of a value, \
      such as Base64 or a part of it, are not masked, nor are values of fewer than 4 bytes. What may be the beginning of a \
      value is shown when more output follows.

      With --deny-reads, the program and everything that it starts may use `coffer run`, but not the commands that show \
      values, such as `get`, `read` and `inject`, unless a person allows it: in a dialog of the agent (see `coffer unlock`) or \
      with the passphrase in a terminal. `coffer run` masks values there. It keeps a tool, such as an AI agent, from reading \
      secrets by mistake, and not one that means to.

      Exit codes: that of the program; 127 if it does not exist, 126 if it cannot be started; otherwise those of `coffer`.
      """)
  @Option(
    name: .customLong("env"),
    help: ArgumentHelp(
      "Set a variable to what a reference names. Can be repeated.", valueName: "name=reference"))
  var variables: [SecretAssignment] = []
  @Option(
    help: ArgumentHelp(
      "Set the variables of a file with NAME=REFERENCE or NAME=TEXT in each line. Can be repeated.",
      discussion: """
        Later files replace variables of earlier ones, and --env those of all files. TEXT may be in quotes, and a comment may \
        follow: white space, # and any text.
        """, valueName: "file"),
    completion: .file())
  var envFile: [String] = []
  @Option(
    name: .customLong("file"),
    help: ArgumentHelp(
      "Set a variable to the path of a file in memory that has what a reference names. Can be repeated.",
      valueName: "name=reference"))
  var files: [SecretAssignment] = []
  @OptionGroup var references: ReferenceOptions
  @Flag(help: "Mask the values in what the program prints.")
  var mask = false
  @Flag(help: "Let a person allow what the program, and everything that it starts, shows of the vault. Linux only.")
  var denyReads = false
  @OptionGroup var actor: ActorOptions
  @Argument(
    parsing: .postTerminator, help: ArgumentHelp("The program and its arguments.", valueName: "command"))
  var command: [String] = []

  func validate() throws {
    guard !command.isEmpty else { throw ValidationError("give the program after --, as in: coffer run -- env") }
    let names = (variables + files).map(\.name)
    if let twice = names.first(where: { name in names.count { $0 == name } > 1 }) {
      throw ValidationError("--env and --file set \(twice) twice")
    }
  }

  func run() throws {
    let environment = try SecretEnvironment.read(self)
    // In a process tree that denies reads, the program could show a value to it.
    let mask = mask || CurrentProcess.deniesReads
    if mask {
      for name in environment.unmaskedNames {
        Terminal.printNote(
          "The value of \(name) has fewer than \(OutputMask.minimumByteCount) bytes, and is not masked")
      }
    }
    let given = GivenCommand(wordCount: command.count)
    do throws(SystemError) {
      if denyReads { try CurrentProcess.denyReads() }
      try environment.set(inThisProcess: !mask)
      guard mask else { return try given.replaceProcess() }
      let exit = try ObservedProgram.run(given, holding: environment.heldNames, masking: environment.maskedValues)
      try finish(exit)
    } catch {
      Terminal.printError("\(error); check its name, and the folders in PATH")
      throw ExitCode(error.isNotFound ? 127 : 126)
    }
  }

  /// Ends as the program did.
  private func finish(_ exit: ChildProcess.Exit) throws(SystemError) -> Never {
    switch exit {
    case .code(let code): CofferPlatform.exit(code)
    case .signal(let number): CurrentProcess.end(bySignal: number)
    case .unknown: CofferPlatform.exit(1)
    }
  }
}
