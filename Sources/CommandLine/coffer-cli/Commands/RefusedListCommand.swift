internal import ArgumentParser
internal import Coffer
internal import CofferTerminal

struct RefusedListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List versions of items that do not count, without values.",
    discussion: "Those that were adopted, discarded, or that somebody has written over, are left out.", aliases: ["ls"])
  @Flag(help: "Also list versions that were adopted or written over.")
  var all = false
  @OptionGroup var actor: OwnerOptions
  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let records = try actor.open().refusedRecords().filter { all || $0.obstacle != .followed }
    guard !json else { return try Output.json(records.map(RefusedRecordRow.json)) }
    guard !records.isEmpty else {
      if Terminal.isOutput { Terminal.printNote("no refused versions") }
      return
    }
    try Output.table([RefusedRecordRow.columns] + records.map(RefusedRecordRow.cells))
    Terminal.printNote("Make one the current version with: coffer refused adopt VERSION")
    Terminal.printNote("Take what nobody needs off this list with: coffer refused discard VERSION")
  }
}
