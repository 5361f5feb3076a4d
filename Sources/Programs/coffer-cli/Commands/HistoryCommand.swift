internal import ArgumentParser
internal import Coffer
internal import CofferTerminal
internal import CofferVault

struct HistoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history", abstract: "List the versions of an item, without values.",
    discussion: """
      Shows when, by whom and on which machine each version was written, newest first, also for a deleted item. A \
      superseded version is kept for 30 days.

      With --value, one version's value is printed instead, as `coffer get` prints the current one.
      """)
  @OptionGroup var names: PasswordArguments
  @Option(
    help: ArgumentHelp(
      "Print the value of this version: the beginning of its identifier, at least four characters.",
      valueName: "version"))
  var value: String?
  @Flag(help: "With --value: write the value unchanged on a terminal too.")
  var raw = false
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions
  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    if raw && value == nil { throw ValidationError("--raw requires --value") }
    if json && value != nil { throw ValidationError("--json and --value exclude each other") }
  }

  func run() throws {
    let vault = try actor.open(for: .reading(group.group))
    let history = try ItemVersions.read(of: names, from: vault, in: group, as: actor)
    if let value { return try show(history.version(named: value), in: vault) }
    if json {
      try Output.json(history.versions.map { VersionRow($0, isInConflict: history.isInConflict($0)) })
    } else {
      try Output.table(
        [["VERSION", "GROUP"] + VersionRow.columns]
          + history.versions.map {
            [VersionText.identifier($0), $0.accessGroup]
              + VersionRow.cells($0, isInConflict: history.isInConflict($0))
          })
    }
    for damage in history.damaged { Terminal.printError(damage.description) }
    if let first = history.damaged.first { throw ExitCode(first.exitCode) }
  }

  private func show(_ version: ItemVersion<GenericPassword>, in vault: Vault) throws {
    guard let value = try vault.value(of: version) else {
      throw VaultError(
        .itemNotFound, "this version deleted the item, so it has no value",
        recoverySuggestion: "choose another version")
    }
    try TerminalValue.show(value, isRaw: raw)
  }
}
