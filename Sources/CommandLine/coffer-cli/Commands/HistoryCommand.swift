internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferInspection
internal import CofferSystem
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
  @OptionGroup var output: ReportOptions

  func validate() throws {
    if raw && value == nil { throw ValidationError("--raw requires --value") }
    if show && value != nil { throw ValidationError("--show and --value exclude each other") }
    if output.json && value != nil { throw ValidationError("--json and --value exclude each other") }
  }

  func run() throws {
    let vault = try actor.open(for: .reading(group.group), to: show || value != nil ? .show : .use)
    let history = try ItemVersions.read(of: (names.service, names.account), from: vault, in: group, as: actor)
    if let value { return try print(history.version(named: value), in: vault) }
    let names = try ShownNames(vault.local)
    try output.show(
      history.versions, ["VERSION", "GROUP"] + VersionRow.columns + (show ? ["VALUE"] : []),
      fitting: show ? [] : [.whole, .ending] + VersionRow.columnWidths
    ) { version in
      version.json(
        changed: try history.changes(of: version, in: vault),
        value: show ? try ItemVersions.value(of: version, in: vault) : nil)
    } cells: { version in
      try [VersionText.identifier(version), names.group(version.accessGroup)]
        + VersionRow.cells(version, changed: history.changes(of: version, in: vault), names: names)
        + (show ? [ItemVersions.cell(ofValue: version, in: vault)] : [])
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

struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Make an earlier version of an item the current one.",
    discussion: """
      Writes the attributes and the value of that version again, also if the item was deleted. A version that deleted \
      the item deletes it again. Ends a conflict: the other versions stay in the history for 30 days. To keep the \
      current version of an item in conflict, restore it.
      """)
  @Argument(help: "The service that the password is for.", completion: .custom(VaultCompletion.services))
  var service: String
  @Argument(
    help: ArgumentHelp(
      "The account at the service; can be left out if the service has one password only.", valueName: "account"),
    completion: .custom(VaultCompletion.accounts))
  var accountOrVersion: String
  @Argument(
    help: ArgumentHelp(
      "The version: the beginning of its identifier in `coffer history` or `coffer conflicts`, at least four characters. The last argument.",
      valueName: "version"))
  var lastVersion: String?
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions
  @Flag(help: "Print JSON: the new version.")
  var json = false

  private var names: (service: String, account: String?) { (service, lastVersion == nil ? nil : accountOrVersion) }

  func run() throws {
    let vault = try actor.open(for: .changing(group.group), to: .use)
    let history = try ItemVersions.read(of: names, from: vault, in: group, as: actor)
    let version = try history.version(named: lastVersion ?? accountOrVersion)
    let isNeeded = !version.isCurrent || version.isInConflict
    if isNeeded { try vault.restore(version) }
    let after = isNeeded ? try ItemVersions.read(of: names, from: vault, in: group, as: actor) : history
    let current = after.versions.first {
      $0.isCurrent && $0.accessGroup == version.accessGroup
        && $0.item?.isSynchronizable == version.item?.isSynchronizable
    }
    if json {
      try Output.json(current?.json())
    } else if isNeeded {
      try Output.line("Restored \(VersionText.origin(version)).")
    } else {
      try Output.line("This is the current version; nothing was changed.")
    }
  }
}

struct ConflictsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conflicts", abstract: "Show the items that machines have changed at the same time.",
    discussion: """
      The versions of each item are shown side by side, with what each of them changed. Reads return the version that was \
      written last. The others are kept until the next write of the item, and then for 30 days.

      `coffer restore SERVICE ACCOUNT VERSION` takes one of them and ends the conflict. Values are compared, and shown only \
      with --show; `coffer history SERVICE ACCOUNT --value VERSION` prints one of them.
      """)
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions
  @Flag(help: "Also show the values, in one line each and with escapes.")
  var show = false
  @OptionGroup var output: ReportOptions

  func run() throws {
    let vault = try actor.open(for: .reading(group.group), to: show ? .show : .use)
    var damaged: [VaultError] = []
    let found = try vault.conflicts(GenericPassword.self, in: group.group) { damaged.append($0) }
    let conflicts = found.items.compactMap { conflict in
      conflict.versions.compactMap(\.item).first.map { (item: $0, versions: conflict.versions) }
    }
    if output.json {
      try Output.json(
        conflicts.map { conflict in
          [
            "group": conflict.versions[0].accessGroup, "service": conflict.item.service,
            "account": conflict.item.account,
            "versions": try changes(of: conflict.versions, conflict.item, vault).map { version, changes in
              version.json(
                changed: changes,
                value: show ? try ItemVersions.value(of: version, in: vault) : nil)
            },
          ] as JSONObject
        })
    } else if !conflicts.isEmpty {
      for (index, conflict) in conflicts.enumerated() {
        if index > 0 { try Output.line("") }
        try print(conflict.versions, of: conflict.item, vault)
      }
      let show = NextCommand.line("conflicts", app: actor.app, group: group.group)
      let restore = NextCommand.line("restore", app: actor.app, group: group.group)
      if !self.show { Terminal.printNote("See the values with: \(show) --show") }
      Terminal.printNote("Take a version with: \(restore) SERVICE ACCOUNT VERSION")
    } else if Terminal.isOutput, damaged.isEmpty {
      Terminal.printNote("no conflicts")
    }
    if found.otherCount > 0 {
      Terminal.printNote(
        "\(counted(found.otherCount, "item")) of other classes, such as internet passwords and keys: compare the "
          + "versions, and take one, with: \(SiblingProgram.inspectCommand)")
    }
    try damaged.report()
  }

  /// The largest number of versions that are printed side by side.
  private static let columnCount = 8

  /// Prints the first versions of an item side by side.
  private func print(_ all: [ItemVersion<GenericPassword>], of item: GenericPassword, _ vault: Vault) throws {
    let versions = Array(all.prefix(Self.columnCount))
    let changes = Dictionary(
      try changes(of: versions, item, vault).map { ($0.identifier, $1) }, uniquingKeysWith: { first, _ in first })
    try Output.line(
      "\(Output.name(item.service)), \(Output.name(item.account)) in \(versions[0].accessGroup)")
    func row(_ title: String, _ cell: (ItemVersion<GenericPassword>) throws -> String) rethrows -> [String] {
      try ["  " + title] + versions.map(cell)
    }
    var rows = [
      row("version") { VersionText.identifier($0) + ($0.isCurrent ? " (current)" : "") },
      row("written") { Output.date($0.written) },
      row("written by") { VersionText.writer($0.writer) },
      row("changed") { VersionChange.words(changes[$0.identifier] ?? nil) },
      row("label") { Output.name($0.item?.label ?? "-") },
    ]
    if versions.contains(where: { $0.item?.comment != nil }) {
      rows.append(row("comment") { Output.name($0.item?.comment ?? "-") })
    }
    if show { rows.append(try row("value") { try ItemVersions.cell(ofValue: $0, in: vault) }) }
    try Output.table(rows)
    if all.count > versions.count {
      let history = NextCommand.line(
        "history", [item.service, item.account], app: actor.app, group: versions[0].accessGroup)
      try Output.line("  and \(counted(all.count - versions.count, "older version")): \(history)")
    }
  }

  /// Returns versions of an item in one group with what each changed, compared with the one that the machines had in
  /// common.
  private func changes(
    of versions: [ItemVersion<GenericPassword>], _ item: GenericPassword, _ vault: Vault
  ) throws(VaultError) -> [(ItemVersion<GenericPassword>, [VersionChange]?)] {
    let kept = VersionChange.Kept(try vault.histories(of: item, in: versions[0].accessGroup).versions)
    return try versions.map { version throws(VaultError) in
      (version, try VersionChange.all(of: version, among: kept, in: vault))
    }
  }
}
