internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferInspection
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show all attributes of an item, without its value.",
    discussion: """
      Names a generic password by its service and account or, if there is none, an internet password by its server and \
      account; without an account, the only password of the service. With --class, a certificate, key or identity by its label. With --reference, any item by the reference that this command and \
      `coffer list --tree --json` print.

      If several groups have such an item, shows that of the first group in the order of `coffer list --tree`, as \
      `coffer get` does, and names the others.
      """)
  @Argument(help: ArgumentHelp("The service and the account; for other classes see above.", valueName: "name"))
  var names: [String] = []
  @Option(
    name: .customLong("class"),
    help: ArgumentHelp("The class of the item.", discussion: "Default: both classes of passwords.", valueName: "class"))
  var kind: ItemKind?
  @Option(
    help: ArgumentHelp("The item's reference, which stays when it is renamed or moved.", valueName: "reference"),
    transform: ItemReference.argument)
  var reference: [ItemReference]?
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions
  @OptionGroup var output: ReportOptions

  func validate() throws {
    if reference != nil {
      guard names.isEmpty, kind == nil else { throw ValidationError("--reference replaces the names and --class") }
      return
    }
    let expected = (kind ?? .genericPassword).nameWords
    guard names.count == expected.count || names.count == 1 && isPassword else {
      throw ValidationError("name the item by its \(expected.joined(separator: " and its "))")
    }
  }

  private var isPassword: Bool { [nil, .genericPassword, .internetPassword].contains(kind) }

  func run() throws {
    let opened = try actor.open(for: .reading(group.group), to: .use)
    let vault = InspectedVault(vault: opened, local: opened.local)
    let details = try find(in: vault, opened)
    if output.json {
      try Output.json(details.json)
    } else {
      let facts = details.facts()
      let width = facts.map(\.name.count).max() ?? 0
      for fact in facts {
        let name = fact.name + String(repeating: " ", count: width - fact.name.count)
        try Output.line("\(name)  \(Output.cell(fact.text))")
      }
    }
    try details.damaged.report()
  }

  private func find(in vault: InspectedVault, _ opened: Vault) throws(VaultError) -> ItemDetails {
    if let reference { return try find(reference, in: vault) }
    var names = names
    if names.count == 1, isPassword {
      let kind = kind.map { $0 == .internetPassword ? PasswordKind.internet : .generic }
      let choice = PasswordChoice.naming(names[0], nil, kind)
      let isOnly = try choice.onlyAccount(in: opened, group: group.group) != nil
      names.append(isOnly ? try choice.findOneOrNil(in: opened, group: group)?.account ?? "" : "")
    }
    var rows = try vault.items(named: names, of: kind ?? .genericPassword, in: group.group)
    if rows.isEmpty, kind == nil { rows = try vault.items(named: names, of: .internetPassword, in: group.group) }
    guard let row = rows.first else {
      throw VaultError(
        .itemNotFound, "there is no such item in the groups searched",
        recoverySuggestion: "list the items with: "
          + NextCommand.line("list --tree", app: actor.app, group: group.group))
    }
    if rows.count > 1 {
      let others = rows.dropFirst().prefix(10).map { "\($0.reference.path) in \($0.group)" }.joined(separator: ", ")
      Terminal.printNote(
        "\(counted(rows.count, "item")) have these names; shown is that in \(row.group). Name another with --reference: "
          + others)
    }
    return try vault.details(of: row.reference, in: row.group, matching: row.reference.kind.attributes(named: names))
  }

  /// Returns the first item that one of the references names.
  private func find(_ references: [ItemReference], in vault: InspectedVault) throws(VaultError) -> ItemDetails {
    for reference in references.dropLast() {
      do throws(VaultError) {
        return try vault.details(of: reference, in: group.group)
      } catch {
        guard error.code == .itemNotFound else { throw error }
      }
    }
    return try vault.details(of: references[references.count - 1], in: group.group)
  }
}

extension ItemKind: ExpressibleByArgument {
  /// The arguments of all kinds, for the help and the completion.
  public static var allValueStrings: [String] { allCases.map(\.argument) }
}

struct SearchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search", abstract: "Find items of all classes by words in their names.",
    discussion: """
      Finds the items in whose texts each word occurs, ignoring case and diacritics. Values are not searched. Prints a line for \
      each item, with the reference that `coffer get --reference` and `coffer show --reference` take.
      """,
    aliases: ["find"])
  @Argument(help: "The words.")
  var words: [String]
  @Option(
    name: .customLong("class"), help: ArgumentHelp("Find only items of this class.", valueName: "class"))
  var kind: ItemKind?
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions
  @OptionGroup var output: ReportOptions

  func run() throws {
    let vault = InspectedVault(try actor.open(for: .reading(group.group), to: .use))
    var request = ItemRequest(
      group: group.group, kind: kind, text: words.joined(separator: " "),
      pageSize: ItemRequest.pageSizes.upperBound)
    var rows: [ItemRow] = []
    var damaged: [VaultError] = []
    while true {
      let page = try vault.items(request)
      rows += page.rows
      damaged = page.damaged
      guard request.page < page.pageCount else { break }
      request.page += 1
    }
    if rows.isEmpty, !output.json {
      Terminal.printNote("no item has these words")
    } else {
      let names = try ShownNames(vault.local)
      try output.show(
        rows, ["REFERENCE", "GROUP", "CLASS", "NAME", "ACCOUNT", "LABEL"],
        fitting: [.whole, .ending, .whole, .name, .name, .name]
      ) { row in
        (["class": row.kind.argument, "group": row.group] as JSONObject).including(row.json)
      } cells: { row in
        [
          row.reference.path, names.group(row.group), row.kind.argument, Output.name(row.title),
          Output.name(row.subtitle.isEmpty ? "-" : row.subtitle), Output.name(row.label ?? "-"),
        ]
      }
    }
    try damaged.report()
  }
}
