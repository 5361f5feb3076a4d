internal import ArgumentParser
internal import Coffer
internal import CofferFormat
internal import CofferTerminal
internal import CofferVault

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
    let vault = try actor.open()
    let items = try vault.exposedItems { damaged.append($0) }.filter { dismissed || $0.dismissal == nil }
    if json {
      try Output.json(items.map(ExposedItemRow.json))
    } else if !items.isEmpty {
      let names = try ShownNames(vault.local)
      try Output.table(
        [ExposedItemRow.columns + (dismissed ? ["DISMISSED"] : [])]
          + items.map { ExposedItemRow.cells($0, names) + (dismissed ? [Self.state(of: $0)] : []) },
        fitting: ExposedItemRow.columnWidths + [.name])
      let classes = Set(items.filter { $0.dismissal == nil }.map(\.itemClass))
      for advice in Self.advice(for: classes) { Terminal.printNote(advice) }
      if items.contains(where: { $0.dismissal == nil && $0.attributes[.oneTimePassword] != nil }) {
        Terminal.printNote(
          "Let each service with one-time codes show a new seed, then store it with: coffer otp add SERVICE ACCOUNT --replace --group GROUP"
        )
      }
    } else if Terminal.isOutput {
      Terminal.printNote("nothing to replace")
    }
    try damaged.report()
  }

  /// Returns how items of these classes are replaced, a line for each that commands replace and one for the others.
  private static func advice(for classes: Set<ItemClass>) -> [String] {
    var advice: [String] = []
    if classes.contains(.genericPassword) {
      advice.append(
        "Change each password where it is used, then store it with: coffer set SERVICE ACCOUNT --group GROUP")
    }
    if classes.contains(.internetPassword) {
      advice.append(
        "Change each internet password at its server, then store it with: coffer set --class internet-password SERVER ACCOUNT --group GROUP"
      )
    }
    if classes.contains(.certificate) || classes.contains(.key) {
      advice.append(
        "Replace certificates and keys in the app that stores them, and revoke the old certificates where they were issued"
      )
    }
    return advice
  }

  private static func state(of item: ExposedItem) -> String {
    guard let dismissal = item.dismissal else { return "-" }
    return "by \(Output.cell(dismissal.signer)): \(Output.cell(dismissal.reason))"
  }
}
