internal import ArgumentParser
internal import CofferAgent
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

/// A variable of the environment and the reference of what it gets, as an option takes it: `NAME=REFERENCE`.
struct SecretAssignment: ExpressibleByArgument, Hashable {
  let name: String
  /// The reference as text. Not checked: nobody may see what was written in its place by mistake.
  let reference: String

  /// Reads an argument. Returns nil unless it begins with the name of a variable and "=".
  init?(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, Self.isName(parts[0]) else { return nil }
    name = String(parts[0])
    reference = String(parts[1])
  }

  /// Whether every shell takes a text as the name of a variable.
  static func isName(_ text: some StringProtocol) -> Bool {
    text.count <= 256 && String(text).wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil
  }
}

/// The variables with which `coffer run` starts a program.
struct SecretEnvironment {
  private struct Variable {
    let name: String
    let value: Data
    let isSecret: Bool
  }

  private let variables: [Variable]
  private let files: [Variable]

  /// The largest value of a variable that the kernel passes on, in bytes, with the name and "=".
  private static let maximumByteCount = 131_071

  /// Reads the values that the options of a command name. Throws `invalidArgument` for a value that no variable can
  /// have.
  static func read(_ command: RunCommand) throws(VaultError) -> SecretEnvironment {
    let map = try command.references.readMap()
    var contents: [(name: String, content: VariableFile.Content, place: String)] = []
    func put(_ name: String, _ content: VariableFile.Content, _ place: String) {
      contents.removeAll { $0.name == name }
      contents.append((name, content, place))
    }
    for file in command.envFile {
      for variable in try VariableFile.read(file, map, allowsTexts: true) {
        put(variable.name, variable.content, "\(variable.name) in \(variable.place)")
      }
    }
    func reference(_ assignment: SecretAssignment) throws(VaultError) -> SecretReference {
      do throws(VaultError) {
        return try map.reference(assignment.reference)
      } catch {
        throw error.at(assignment.name)
      }
    }
    for assignment in command.variables { put(assignment.name, .reference(try reference(assignment)), assignment.name) }
    for assignment in command.files { contents.removeAll { $0.name == assignment.name } }
    let given = Set(contents.map(\.name) + command.files.map(\.name))
    for (name, reference) in try inheritedReferences(besides: given, map, command) {
      contents.append((name, .reference(reference), "\(name) in the environment"))
    }
    var requests: [SecretReader.Request] = []
    for (_, content, place) in contents {
      if case .reference(let reference) = content { requests.append(.init(reference: reference, place: place)) }
    }
    for file in command.files { requests.append(.init(reference: try reference(file), place: file.name)) }
    var values = requests.isEmpty ? [] : try SecretReader(command.actor, to: .use).read(requests)[...]
    var variables: [Variable] = []
    for (name, content, place) in contents {
      switch content {
      case .text(let text): variables.append(Variable(name: name, value: Data(text.utf8), isSecret: false))
      case .reference:
        let variable = Variable(name: name, value: values.removeFirst(), isSecret: true)
        try check(variable, place)
        variables.append(variable)
      }
    }
    return SecretEnvironment(
      variables: variables,
      files: command.files.map { Variable(name: $0.name, value: values.removeFirst(), isSecret: true) })
  }

  /// Returns the references that the variables of this process have, as `op run` of 1Password reads them: a program
  /// must not take a reference for a secret. Two kinds stay as they are, of which a note is printed: those of 1Password
  /// without a map, which its own program may read, and all with `--deny-reads`, whose program gets only what a person
  /// has named.
  private static func inheritedReferences(
    besides given: Set<String>, _ map: ReferenceMap, _ command: RunCommand
  ) throws(VaultError) -> [(name: String, reference: SecretReference)] {
    var found: [(name: String, reference: SecretReference)] = []
    for (name, text) in CurrentProcess.environment.sorted(by: { $0.key < $1.key })
    where ReferenceMap.isReference(text) && !given.contains(name) {
      let shown = name.sanitizedForTerminal()
      let isForeign = text.hasPrefix(ReferenceMap.foreignScheme)
      if command.denyReads {
        Terminal.printNote(
          "\(shown) in the environment stays a reference; give its value with --env \(shown)=REFERENCE")
      } else if isForeign, command.references.map == nil {
        Terminal.printNote(
          "\(shown) in the environment stays a reference of 1Password; say what it stands for with --map")
      } else {
        found.append(
          (name, try VaultError.at("\(shown) in the environment") { () throws(VaultError) in try map.reference(text) }))
      }
    }
    return found
  }

  private static func check(_ variable: Variable, _ place: String) throws(VaultError) {
    let reason: String
    if variable.value.contains(0) {
      reason = "has a NUL, which no variable can have"
    } else if variable.value.count + variable.name.utf8.count + 1 > maximumByteCount {
      reason = "is larger than a variable can be (128 KiB)"
    } else {
      return
    }
    throw VaultError(
      .invalidArgument, "\(place): the value \(reason)",
      recoverySuggestion: "give the program a file in memory: --file \(variable.name)=coffer://…")
  }

  /// The variables with paths of files in memory.
  var heldNames: Set<String> { Set(files.map(\.name)) }

  /// What is not to be shown: the values without the newlines at their end, which shells leave out.
  var maskedValues: [[UInt8]] { (variables.filter(\.isSecret) + files).map(Self.maskedValue) }

  /// The names of the values that are too short to be masked.
  var unmaskedNames: [String] {
    (variables.filter(\.isSecret) + files)
      .filter { Self.maskedValue($0).count < OutputMask.minimumByteCount }.map(\.name)
  }

  private static func maskedValue(_ variable: Variable) -> [UInt8] {
    let bytes = Array(variable.value)
    return Array(bytes.prefix((bytes.lastIndex { $0 != 10 && $0 != 13 } ?? -1) + 1))
  }

  /// Sets the variables. The program takes the place of this process, or will be another one.
  func set(inThisProcess: Bool) throws(SystemError) {
    for variable in variables { CurrentProcess.setVariable(variable.name, to: variable.value) }
    for variable in files {
      let file = try MemoryFile.create(Array(variable.value))
      let path = inThisProcess ? file.path(inProcess: getpid()) : file.unnamedPath
      CurrentProcess.setVariable(variable.name, to: path.utf8)
    }
  }
}
