internal import Coffer
internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

/// The versions of one item that this machine has, in the groups that a command searches.
struct ItemVersions {
  let versions: [ItemVersion<GenericPassword>]
  /// One error for each damaged version.
  let damaged: [VaultError]
  private let kept: VersionChange.Kept
  /// The command that lists the versions, for errors.
  private let historyCommand: String

  /// Reads the versions of a generic password: without an account, of the only one of the service, which may be
  /// deleted. Throws `itemNotFound` if there are none.
  static func read(
    of names: (service: String, account: String?), from vault: Vault, in group: GroupOption, as actor: ActorOptions
  ) throws(VaultError) -> ItemVersions {
    let account =
      if let account = names.account { account } else { try onlyAccount(of: names.service, in: vault, group) }
    return try read(of: names.service, account, from: vault, in: group, as: actor)
  }

  /// Returns the account that a command without one means: none if there is such an item, also a deleted one, and
  /// otherwise the only account of the service. Throws `invalidArgument` if there are several.
  private static func onlyAccount(
    of service: String, in vault: Vault, _ group: GroupOption
  ) throws(VaultError) -> String {
    let choice = PasswordChoice.naming(service, nil)
    let unnamed = try vault.histories(of: choice.genericPassword, in: group.group)
    guard unnamed.versions.isEmpty, unnamed.damaged.isEmpty else { return "" }
    if let only = try choice.onlyAccount(in: vault, group: group.group) { return only }
    let deleted = try InspectedVault(vault: vault, local: vault.local).deletedItems(in: group.group, limit: .max).rows
      .filter { $0.kind == .genericPassword && $0.title == service }
    let accounts = Set(deleted.map(\.subtitle)).sorted()
    guard accounts.count > 1 else { return accounts.first ?? "" }
    throw VaultError(
      .invalidArgument, "\(accounts.count) passwords of \(Output.cell(service)) were deleted",
      recoverySuggestion: "name one account: \(accounts.prefix(10).map(Output.cell).joined(separator: ", "))")
  }

  private static func read(
    of service: String, _ account: String, from vault: Vault, in group: GroupOption, as actor: ActorOptions
  ) throws(VaultError) -> ItemVersions {
    let history = try vault.histories(of: GenericPassword(service: service, account: account), in: group.group)
    guard !history.versions.isEmpty || !history.damaged.isEmpty else {
      var other = ItemQuery<InternetPassword>(in: group.group)
      other = other.matching(.server, service).matching(.account, account)
      if let found = try vault.first(other) {
        throw VaultError(
          .itemNotFound, "an internet password in \(found.accessGroup) has these names, and no generic password",
          recoverySuggestion: "see and restore its versions with: \(SiblingProgram.inspectCommand)")
      }
      throw VaultError(
        .itemNotFound, "this machine has no version of such an item in the groups searched",
        recoverySuggestion: "list the items with: \(NextCommand.line("list", app: actor.app, group: group.group))")
    }
    return ItemVersions(
      versions: history.versions, damaged: history.damaged, kept: VersionChange.Kept(history.versions),
      historyCommand: NextCommand.line(
        "history", [service, account], app: actor.app, group: group.group))
  }

  /// Returns a version's value; nil for a deletion, and for a value that only an application password opens.
  static func value(of version: ItemVersion<GenericPassword>, in vault: Vault) throws(VaultError) -> Data? {
    version.isPasswordProtected ? nil : try vault.value(of: version)
  }

  /// Returns the cell of a table with a version's value, in one line and with escapes.
  static func cell(ofValue version: ItemVersion<GenericPassword>, in vault: Vault) throws(VaultError) -> String {
    if version.isPasswordProtected { return "(under an application password)" }
    return try value(of: version, in: vault).map { Output.cell(TerminalValue.text(of: $0).text) } ?? "-"
  }

  /// Returns what a version changed; nil if this machine no longer keeps one that it replaced.
  func changes(of version: ItemVersion<GenericPassword>, in vault: Vault) throws(VaultError) -> [VersionChange]? {
    try VersionChange.all(of: version, among: kept, in: vault)
  }

  /// Returns the version that the beginning of its identifier names. Throws `itemNotFound` if there is none, and
  /// `invalidArgument` if there are several.
  func version(named text: String) throws(VaultError) -> ItemVersion<GenericPassword> {
    let found = versions.filter { $0.identifier.hasPrefix(text.lowercased()) }
    guard let version = found.first, text.count >= Self.minimumLength else {
      throw VaultError(
        .itemNotFound, "this machine has no such version of the item",
        recoverySuggestion: "list its versions with: \(historyCommand)")
    }
    guard found.count == 1 else {
      throw VaultError(
        .invalidArgument, "\(found.count) versions begin with these characters",
        recoverySuggestion: "give more characters; list the versions with: \(historyCommand)")
    }
    return version
  }

  /// The smallest number of characters that name a version.
  private static let minimumLength = 4
}

extension ItemVersion<GenericPassword> {
  /// The version in the output of `--json`. `version` is what `history --value` and `restore` take, and `changed` is
  /// missing if this machine no longer keeps the version before.
  func json(changed: [VersionChange]? = nil, value: Data? = nil) -> JSONObject {
    let object: JSONObject = [
      "version": identifier, "group": accessGroup, "written": written, "isCurrent": isCurrent,
      "isInConflict": isInConflict, "isDeletion": isDeletion, "changed": changed?.map(\.description),
      "label": item?.label, "comment": item?.comment, "description": item?.itemDescription,
      "accessibility": item?.accessibility.map { "\($0)" }, "isSynchronizable": item?.isSynchronizable,
    ]
    return object.including(JSONObject.writer(writer)).including(JSONObject.value(value))
  }
}

/// A version of an item as a row of a table.
enum VersionRow {
  /// The columns of a version after its identifier.
  static let columns = ["WRITTEN", "WRITTEN BY", "CHANGED", "LABEL", "STATE"]

  /// How these columns give way on a narrow terminal.
  static let columnWidths: [TableColumn] = [.date, .ending, .name, .name, .whole]

  /// Returns the cells of these columns.
  static func cells(
    _ version: ItemVersion<GenericPassword>, changed: [VersionChange]?, names: ShownNames
  ) -> [String] {
    let state = [
      version.isCurrent ? "current" : "", version.isDeletion ? "deleted" : "",
      version.isInConflict ? "conflict" : "",
    ].filter { !$0.isEmpty }
    return [
      Output.date(version.written), names.writer(version.writer), VersionChange.words(changed),
      Output.name(version.item?.label ?? "-"), state.isEmpty ? "-" : state.joined(separator: ", "),
    ]
  }
}

/// The words for the version of an item.
enum VersionText {
  /// Returns who wrote a version, and on which machine.
  static func writer(_ writer: ItemWriter) -> String { writer.words(machine: Output.name) }

  /// Returns the identifier by which commands name a version.
  static func identifier(_ version: ItemVersion<some KeychainItem>) -> String {
    String(version.identifier.prefix(ItemVersionRow.shownIdentifierLength))
  }

  /// Returns a version's identifier and where it comes from.
  static func words(_ version: ItemVersion<some KeychainItem>) -> String {
    "\(identifier(version)), \(origin(version))"
  }

  /// The largest number of versions that a note names.
  private static let listedCount = 3

  /// Returns the words for versions as a list, and the number of those beyond the first.
  static func list(_ versions: [String]) -> String {
    let others = versions.count - listedCount
    return versions.prefix(listedCount).joined(separator: "; ") + (others > 0 ? "; and \(others) more" : "")
  }

  /// Returns where a version comes from, in a clause.
  static func origin(_ version: ItemVersion<some KeychainItem>) -> String {
    let kind = version.isDeletion ? "the deletion" : "the version"
    return "\(kind) by \(writer(version.writer)) of \(Output.date(version.written))"
  }
}
