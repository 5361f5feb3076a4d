internal import ArgumentParser
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct BridgeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bridge", abstract: "Let other programs, such as git, keep their passwords in the vault.",
    discussion: """
      The programs run `coffer` themselves, with the owner's own group, or with the app and the group that were named for \
      the bridge. A vault whose owner's secrets need a passphrase asks for it on the terminal.
      """,
    subcommands: [BridgeInstallCommand.self, BridgeListCommand.self, BridgeRemoveCommand.self] + Bridges.all)
}

struct BridgeInstallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "install", abstract: "Set up a program to keep its passwords in the vault.",
    discussion: """
      Writes a program into ~/.local/bin that runs `coffer`, and entries into the configuration of the other program. Says \
      what it writes where, and keeps everything else there, except that kubectl drops the comments of its configuration \
      when it adds a user. An entry of somebody else that is in the way is an error, and nothing is written then.
      """)
  @Argument(help: "The program, as `coffer bridge list` names it.")
  var bridge: BridgeChoice
  @Option(
    help: ArgumentHelp("Act as this app.", valueName: "app"), completion: .custom(VaultCompletion.apps))
  var app: String?
  @OptionGroup var group: GroupOption
  @Option(
    help: ArgumentHelp(
      "Of aws: the profile, by default \"default\". Of kubectl: the user, by default \"coffer\".", valueName: "name"))
  var name: String?
  @Flag(help: "Print what would be written, and write nothing.")
  var dryRun = false
  @OptionGroup var output: ReportOptions

  func validate() throws {
    let bridge = bridge.bridge
    if name != nil, bridge.defaultName == nil { throw ValidationError("--name is not for \(bridge.name)") }
    if let name, let error = bridge.nameError(name) { throw ValidationError(error) }
  }

  func run() throws {
    let installation = BridgeInstallation(bridge.bridge, app: app, group: group.group, name: name)
    try bridge.bridge.checkClient()
    let settings = try bridge.bridge.settings(installation)
    for setting in settings { try setting.checkIsFree() }
    var written: [String] = []
    var unchanged: [String] = []
    for setting in settings {
      if try setting.current() == setting.wanted {
        unchanged.append(setting.place)
      } else {
        if !dryRun { try setting.write() }
        written.append(setting.place)
      }
    }
    if output.json {
      let object: JSONObject = [
        "bridge": bridge.bridge.name, "isInstalled": try !dryRun || bridge.bridge.installedCommand() != nil,
        "command": installation.command,
        "written": written, "unchanged": unchanged,
      ]
      return try Output.json(object)
    }
    for place in written { try Output.line("\(dryRun ? "Would write" : "Wrote") \(Output.cell(place))") }
    for place in unchanged { try Output.line("Unchanged: \(Output.cell(place))") }
    guard !dryRun else { return }
    bridge.bridge.advice(installation).forEach(Terminal.printNote)
    for finding in try settings.flatMap({ setting throws(VaultError) in try setting.findings() }) {
      Terminal.printNote("\(finding.message) \(finding.fix)")
    }
  }
}

struct BridgeListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the programs that can use the vault, and which of them do.", aliases: ["ls"])
  @OptionGroup var output: ReportOptions

  func run() throws {
    let rows = Bridges.all.map(Self.row)
    try output.show(rows, ["BRIDGE", "FOR", "RUNS"]) { bridge, command, error in
      ["bridge": bridge.name, "isInstalled": command != nil, "command": command, "error": error]
    } cells: { bridge, command, error in
      [bridge.name, bridge.clients, (command ?? error).map(Output.cell) ?? "not installed"]
    }
  }

  /// A file of another program that cannot be read is no reason to hide the other bridges.
  private static func row(_ bridge: any Bridge.Type) -> (bridge: any Bridge.Type, command: String?, error: String?) {
    do throws(VaultError) {
      return (bridge, try bridge.installedCommand(), nil)
    } catch {
      return (bridge, nil, error.description)
    }
  }
}

struct BridgeRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Undo `coffer bridge install`. The passwords stay in the vault.", aliases: ["rm"])
  @Argument(help: "The program, as `coffer bridge list` names it.")
  var bridge: BridgeChoice
  @Flag(help: "Print what would be removed, and remove nothing.")
  var dryRun = false
  @OptionGroup var output: ReportOptions

  func run() throws {
    let settings = try bridge.bridge.anySettings()
    let removed = try settings.flatMap { setting throws(VaultError) in try setting.present() }
    guard !removed.isEmpty else {
      throw VaultError(
        .itemNotFound, "the bridge for \(bridge.bridge.name) is not installed",
        recoverySuggestion: "see which are with: coffer bridge list")
    }
    if !dryRun {
      // The program last: what it is for finds it until then.
      for setting in settings.reversed() { try setting.remove() }
    }
    if output.json {
      return try Output.json(object: [
        "bridge": bridge.bridge.name, "isInstalled": dryRun, "removed": removed,
      ])
    }
    for place in removed { try Output.line("\(dryRun ? "Would remove" : "Removed") \(Output.cell(place))") }
  }
}

/// Another program that asks Coffer for its secrets: the command that answers it, and the settings by which it finds
/// that command.
protocol Bridge: ParsableCommand {
  /// The programs that the command answers, in words.
  static var clients: String { get }
  /// What installations are told apart by, such as the profile `default`; nil if there is only one.
  static var defaultName: String? { get }
  /// Why an installation cannot have a name; nil if it can.
  static func nameError(_ name: String) -> String?
  /// Throws `invalidArgument` if the other program is not one for the bridge.
  static func checkClient() throws(VaultError)
  /// What is written into the configuration of this user. The first one has the command.
  static func settings(_ installation: BridgeInstallation) throws(VaultError) -> [any BridgeSetting]
  /// What the user has to do besides, because no file can.
  static func advice(_ installation: BridgeInstallation) -> [String]
  /// The name of an installation; nil if there is none, or if the bridge has no names.
  static func installedName() throws(VaultError) -> String?
  /// What keeps the other program from using an installed bridge, apart from what its settings find.
  static func findings() throws(VaultError) -> [Finding]
}

extension Bridge {
  static var defaultName: String? { nil }
  static func nameError(_ name: String) -> String? {
    let isPlain = !name.isEmpty && name.unicodeScalars.allSatisfy { $0.isSafeForTerminal }
    return isPlain ? nil : "--name takes no empty name and no control characters"
  }
  static func checkClient() throws(VaultError) {}
  static func advice(_ installation: BridgeInstallation) -> [String] { [] }
  static func installedName() throws(VaultError) -> String? { nil }
  static func findings() throws(VaultError) -> [Finding] { [] }

  /// The command that installs the bridge again, with the options of the installation as far as that still has them.
  static var installCommand: String {
    var command = "coffer bridge install \(name)"
    if let installed = try? installedCommand(), let options = installed.ranges(of: " bridge \(name)").last?.upperBound {
      command += installed[options...]
    }
    if let found = try? installedName(), found != defaultName { command += " --name \(found.shellWord)" }
    return command
  }

  /// The word for it on the command line.
  static var name: String { configuration.commandName ?? "" }

  /// The settings of an installation for the owner, by which an earlier one is found whatever it names.
  static func anySettings() throws(VaultError) -> [any BridgeSetting] {
    try settings(BridgeInstallation(self, app: nil, group: nil, name: nil))
  }

  /// The command that the other program runs; nil if the bridge is not installed.
  static func installedCommand() throws(VaultError) -> String? { try anySettings().first?.current() }
}

/// The bridges, in the order of the lists.
enum Bridges {
  static let all: [any Bridge.Type] = [
    BridgeGitCommand.self, BridgeDockerCommand.self, BridgeKeyringCommand.self, BridgeCargoCommand.self,
    BridgeAWSCommand.self, BridgeKubectlCommand.self, BridgeAnsibleCommand.self, BridgeSSHAskpassCommand.self,
    BridgeSystemdCommand.self,
  ]

  /// The command that installs the bridge with a mark again.
  static func installCommand(forMark mark: String) -> String {
    let name = mark.split(separator: " ").last.map(String.init) ?? ""
    return all.first { $0.name == name }?.installCommand ?? "coffer bridge install \(name)"
  }
}

/// A bridge that a command line names.
struct BridgeChoice: ExpressibleByArgument {
  let bridge: any Bridge.Type

  init?(argument: String) {
    guard let bridge = Bridges.all.first(where: { $0.name == argument }) else { return nil }
    self.bridge = bridge
  }

  static var allValueStrings: [String] { Bridges.all.map { $0.name } }
}

/// How another program runs a bridge: with the app and the group whose secrets it uses.
struct BridgeInstallation {
  /// The word for the bridge on the command line.
  let bridge: String
  /// What tells this installation of the bridge apart, such as a profile; empty if there is only one.
  let name: String
  /// The command, as a shell reads it.
  let command: String

  init(_ bridge: any Bridge.Type, app: String?, group: String?, name: String?) {
    self.bridge = bridge.name
    self.name = name ?? bridge.defaultName ?? ""
    var words = [CurrentProcess.executablePath, "bridge", bridge.name]
    if let app { words += ["--app", app] }
    if let group { words += ["--group", group] }
    command = words.map(\.exactShellWord).joined(separator: " ")
  }

  /// The comment by which the settings of the bridge are found again.
  var mark: String { "# Written by: coffer bridge install \(bridge)" }

  /// The program that other programs start, in the folder for programs of this user.
  func program(_ name: String, isFoundByName: Bool = false) -> ProgramSetting {
    ProgramSetting(name: name, command: command, mark: mark, isFoundByName: isFoundByName)
  }

  /// An entry of a configuration file.
  func entry(_ key: String, _ value: String, table: String?, in file: UserFile) -> EntrySetting {
    EntrySetting(file: file, table: table, key: key, wanted: value, mark: mark)
  }
}

/// Something that a bridge writes into the configuration of this user.
protocol BridgeSetting {
  /// What it is and where, in words.
  var place: String { get }
  /// What it is set to.
  var wanted: String { get }
  /// Returns what an installation of the bridge has set it to; nil if none has, or if somebody else has.
  func current() throws(VaultError) -> String?
  /// Throws `invalidArgument` if something of somebody else is in its place.
  func checkIsFree() throws(VaultError)
  /// Sets it, in place of what an earlier installation has set.
  func write() throws(VaultError)
  /// Returns what installations have written, in words.
  func present() throws(VaultError) -> [String]
  /// Removes what installations have written, and nothing else.
  func remove() throws(VaultError)
  /// What keeps other programs from using it, if it is installed.
  func findings() throws(VaultError) -> [Finding]
}

extension BridgeSetting {
  func present() throws(VaultError) -> [String] { try current() == nil ? [] : [place] }
  func findings() throws(VaultError) -> [Finding] { [] }
}
