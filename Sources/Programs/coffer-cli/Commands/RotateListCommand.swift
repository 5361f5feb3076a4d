internal import ArgumentParser
internal import Coffer
internal import CofferTerminal
internal import CofferVault
internal import Foundation

struct RotateListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the items to replace, without values.", aliases: ["ls"])
  @Flag(help: "Also list items that were dismissed, with the reason.")
  var dismissed = false
  @OptionGroup var actor: OwnerOptions
  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    var damaged: [VaultError] = []
    let items = try actor.open().exposedItems { damaged.append($0) }.filter { dismissed || $0.dismissal == nil }
    if json {
      try Output.json(items.map(ExposedItemRow.init))
    } else if !items.isEmpty {
      try Output.table(
        [ExposedItemRow.columns + (dismissed ? ["DISMISSED"] : [])]
          + items.map { ExposedItemRow.cells($0) + (dismissed ? [Self.state(of: $0)] : []) })
      if items.contains(where: { $0.dismissal == nil }) {
        Terminal.printNote("Change each password where it is used, then store it with: coffer set SERVICE ACCOUNT")
      }
    } else if Terminal.isOutput {
      Terminal.printNote("nothing to replace")
    }
    for damage in damaged { Terminal.printError(damage.description) }
    if let first = damaged.first { throw ExitCode(first.exitCode) }
  }

  private static func state(of item: ExposedItem) -> String {
    guard let dismissal = item.dismissal else { return "-" }
    return "by \(Output.cell(dismissal.signer)): \(Output.cell(dismissal.reason))"
  }
}
