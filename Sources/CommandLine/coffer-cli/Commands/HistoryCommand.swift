internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferInspection
internal import CofferTerminal
internal import CofferVault

struct HistoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history", abstract: "List the versions of an item and what each of them changed.",
    discussion: """
      Shows when, by whom and on which machine each version was written, and in what it differs from the one before it, \
      newest first, also for a deleted item. Values are compared, and shown only with --show. This machine keeps \
      a superseded version for 30 days if it has received it: `coffer compact` leaves out what machines have not fetched.

      With --value, one version's value is printed instead, as `coffer get` prints the current one.
      """)
  @OptionGroup var names: PasswordArguments
  @Option(
    help: ArgumentHelp(
      "Print the value of this version: the beginning of its identifier, at least four characters.",
      valueName: "version"))
  var value: String?
  @Flag(help: "Also show the values, in one line each and with escapes.")
  var show = false
  @Flag(help: "With --value: write the value unchanged on a terminal too.")
  var raw = false
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions
  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    if raw && value == nil { throw ValidationError("--raw requires --value") }
    if show && value != nil { throw ValidationError("--show and --value exclude each other") }
    if json && value != nil { throw ValidationError("--json and --value exclude each other") }
  }

  func run() throws {
    let vault = try actor.open(for: .reading(group.group), to: show || value != nil ? .show : .use)
    let history = try ItemVersions.read(of: (names.service, names.account), from: vault, in: group, as: actor)
    if let value { return try print(history.version(named: value), in: vault) }
    if json {
      try Output.json(
        history.versions.map { version in
          version.json(
            isInConflict: history.isInConflict(version), changed: try history.changes(of: version, in: vault),
            value: show ? try ItemVersions.value(of: version, in: vault) : nil)
        })
    } else {
      let names = try ShownNames(vault.local)
      try Output.table(
        [["VERSION", "GROUP"] + VersionRow.columns + (show ? ["VALUE"] : [])]
          + history.versions.map { version in
            try [VersionText.identifier(version), names.group(version.accessGroup)]
              + VersionRow.cells(
                version, isInConflict: history.isInConflict(version), changed: history.changes(of: version, in: vault),
                names: names)
              + (show ? [ItemVersions.cell(ofValue: version, in: vault)] : [])
          }, fitting: show ? [] : [.whole, .ending] + VersionRow.columnWidths)
    }
    try history.damaged.report()
  }

  private func print(_ version: ItemVersion<GenericPassword>, in vault: Vault) throws {
    guard let value = try vault.value(of: version) else {
      throw VaultError(
        .itemNotFound, "this version deleted the item, so it has no value",
        recoverySuggestion: "choose another version")
    }
    try TerminalValue.show(value, isRaw: raw)
  }
}
