internal import ArgumentParser
internal import CofferSystem
internal import CofferTerminal

/// Reads the plain command lines of frequent commands without ArgumentParser, which takes longer to build its
/// definitions than these commands to run. Tests compare the commands with those that ArgumentParser reads.
enum DirectCommand {
  /// Returns the command of a command line that has only one reading, or nil to read it with ArgumentParser.
  static func find(in arguments: [String]) -> (any ParsableCommand)? {
    let rest = arguments.dropFirst()
    return switch arguments.first {
    case "get": get(rest)
    case "set": set(rest)
    case "list", "ls": list(rest)
    case "otp": otp(rest)
    case "run": run(rest)
    case "security": security(rest)
    case "sync": sync(rest)
    default: nil
    }
  }

  private static func get(_ arguments: ArraySlice<String>) -> GetCommand? {
    guard let plain = PlainArguments(arguments, options: commonOptions, flags: ["--raw", "--json"]),
      let password = password(plain), let actor = actor(plain), !(plain.has("--raw") && plain.has("--json"))
    else { return nil }
    var command = GetCommand()
    command.password = password
    command.group = group(plain)
    command.raw = plain.has("--raw")
    command.field = nil
    command.clipboard = .none
    command.actor = actor
    command.json = plain.has("--json")
    return command
  }

  private static func set(_ arguments: ArraySlice<String>) -> SetCommand? {
    let flags: Set = ["--allow-empty", "--strip-newline"]
    guard let plain = PlainArguments(arguments, options: commonOptions.union(["--label"]), flags: flags),
      let password = password(plain), let actor = actor(plain)
    else { return nil }
    var command = SetCommand()
    command.password = password
    command.attributes = .only(label: plain["--label"])
    command.jsonLines = false
    command.allowEmpty = plain.has("--allow-empty")
    command.stripNewline = plain.has("--strip-newline")
    var generation = GenerationOptions()
    generation.generate = false
    generation.length = nil
    generation.characters = nil
    generation.words = nil
    command.fromFile = nil
    command.generation = generation
    command.group = group(plain)
    command.actor = actor
    return command
  }

  private static func list(_ arguments: ArraySlice<String>) -> ListCommand? {
    guard let plain = PlainArguments(arguments, options: commonOptions, flags: ["--json", "--tree"]),
      plain.words.count <= (plain.has("--tree") ? 0 : 1), let actor = actor(plain)
    else { return nil }
    var command = ListCommand()
    command.service = plain.words.first
    command.group = group(plain)
    command.actor = actor
    command.tree = plain.has("--tree")
    command.references = false
    command.output = .asJSON(plain.has("--json"))
    return command
  }

  /// The code of an account; other subcommands are ArgumentParser's.
  private static func otp(_ arguments: ArraySlice<String>) -> OTPCodeCommand? {
    let subcommands: Set = ["add", "code", "help", "remove", "rm", "uri"]
    guard arguments.first.map(subcommands.contains) == false,
      let plain = PlainArguments(arguments, options: commonOptions, flags: ["--json"]), let password = password(plain),
      let actor = actor(plain)
    else { return nil }
    var choice = OneTimePasswordChoice()
    choice.password = password
    choice.group = group(plain)
    choice.actor = actor
    // ArgumentParser reports what is wrong.
    guard (try? choice.validate()) != nil else { return nil }
    var command = OTPCodeCommand()
    command.choice = choice
    command.clipboard = .none
    command.json = plain.has("--json")
    return command
  }

  private static func run(_ arguments: ArraySlice<String>) -> RunCommand? {
    guard let end = arguments.firstIndex(of: "--"), end + 1 < arguments.endIndex else { return nil }
    let options = commonOptions.subtracting(["--group"]).union(["--env", "--env-file", "--file", "--map"])
    guard let plain = PlainArguments(arguments[..<end], options: options, flags: ["--mask", "--deny-reads"]),
      plain.words.isEmpty,
      let actor = actor(plain)
    else { return nil }
    let variables = plain["--env"].map(SecretAssignment.init(argument:))
    let files = plain["--file"].map(SecretAssignment.init(argument:))
    guard variables != .some(nil), files != .some(nil) else { return nil }
    var references = ReferenceOptions()
    references.map = plain["--map"]
    var command = RunCommand()
    command.variables = variables.flatMap(\.self).map { [$0] } ?? []
    command.envFile = plain["--env-file"].map { [$0] } ?? []
    command.files = files.flatMap(\.self).map { [$0] } ?? []
    command.references = references
    command.mask = plain.has("--mask")
    command.denyReads = plain.has("--deny-reads")
    command.actor = actor
    command.command = Array(arguments[(end + 1)...])
    // ArgumentParser reports what is wrong.
    return (try? command.validate()) == nil ? nil : command
  }

  /// All words are for the program of macOS.
  private static func security(_ arguments: ArraySlice<String>) -> SecurityCommand {
    var command = SecurityCommand()
    command.words = Array(arguments)
    return command
  }

  private static func sync(_ arguments: ArraySlice<String>) -> SyncCommand? {
    guard let plain = PlainArguments(arguments, flags: ["--json", "--progress", "--verbose"]), plain.words.isEmpty
    else { return nil }
    var command = SyncCommand()
    command.output = .asJSON(plain.has("--json"))
    command.progress = plain.has("--progress")
    command.watch = false
    command.interval = nil
    command.verbose = plain.has("--verbose")
    command.remote = .defaults
    return command
  }

  // MARK: The groups of options

  private static let commonOptions: Set = ["--app", "--group", "--passphrase-file", "--reason"]

  private static func password(_ plain: PlainArguments) -> PasswordChoice? {
    guard (1...2).contains(plain.words.count) else { return nil }
    return .naming(plain.words[0], plain.words.count == 2 ? plain.words[1] : nil)
  }

  private static func group(_ plain: PlainArguments) -> GroupOption {
    var group = GroupOption()
    group.group = plain["--group"]
    return group
  }

  private static func actor(_ plain: PlainArguments) -> ActorOptions? {
    var passphrase = PassphraseOptions()
    passphrase.passphraseFile = plain["--passphrase-file"]
    var actor = ActorOptions()
    actor.namedApp = plain["--app"]
    actor.reason = plain["--reason"]
    actor.leaseTime = nil
    actor.passphrase = passphrase
    // ArgumentParser reports what is wrong.
    return (try? actor.validate()) == nil ? nil : actor
  }
}
