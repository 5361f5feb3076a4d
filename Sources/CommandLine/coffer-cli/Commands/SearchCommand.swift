internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferInspection
internal import CofferTerminal
internal import CofferVault

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
  @Flag(help: "Print JSON.")
  var json = false

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
    if json {
      try Output.json(
        rows.map { row in
          (["class": row.kind.argument, "group": row.group] as JSONObject).including(row.json)
        })
    } else if !rows.isEmpty {
      let names = try ShownNames(vault.local)
      try Output.table(
        [["REFERENCE", "GROUP", "CLASS", "NAME", "ACCOUNT", "LABEL"]]
          + rows.map { row in
            [
              row.reference.path, names.group(row.group), row.kind.argument, Output.name(row.title),
              Output.name(row.subtitle.isEmpty ? "-" : row.subtitle), Output.name(row.label ?? "-"),
            ]
          }, fitting: [.whole, .ending, .whole, .name, .name, .name])
    } else {
      Terminal.printNote("no item has these words")
    }
    try damaged.report()
  }
}
