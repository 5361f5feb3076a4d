internal import ArgumentParser
internal import Coffer
internal import CofferFormat
internal import CofferTerminal
internal import CofferVault
internal import Foundation

struct RotateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate", abstract: "List the items to replace after machines or apps were taken out.",
    discussion: """
      Whoever was taken out may have kept what it could read. An item is listed until it has another value that was \
      written afterwards, on a machine that had heard of it: change the password where it is used, then run `coffer set`.
      """)
  @OptionGroup var actor: OwnerOptions
  @Flag(help: "Print JSON.")
  var json = false

  private struct Row: Encodable {
    struct Reader: Encodable {
      let app: String?
      let machine: String
    }
    let group: String
    let `class`: String
    let service: String?
    let account: String?
    let label: String?
    let written: Date
    let writerApp: String?
    let writerMachine: String
    let revocation: UInt64
    let revoked: Date
    let readers: [Reader]
  }

  func run() throws {
    var damaged: [VaultError] = []
    let items = try actor.open().exposedItems { damaged.append($0) }
    if json {
      try Output.json(
        items.map { item in
          Row(
            group: item.group, class: ItemWords.className(item.itemClass), service: ItemWords.place(item.attributes),
            account: item.attributes.string(.account), label: item.attributes.string(.label), written: item.written,
            writerApp: item.writer.application, writerMachine: item.writer.device, revocation: item.revocation.entry,
            revoked: item.revocation.time,
            readers: item.revocation.readers.map { .init(app: $0.application, machine: $0.device) })
        })
    } else if !items.isEmpty {
      try Output.table(
        [["GROUP", "SERVICE", "ACCOUNT", "WRITTEN", "WRITTEN BY", "WAS READABLE ON"]]
          + items.map { item in
            [
              item.group, Output.name(ItemWords.place(item.attributes) ?? "-"),
              Output.name(item.attributes.string(.account) ?? item.attributes.string(.label) ?? "-"),
              Output.date(item.written), VersionText.writer(item.writer),
              Set(item.revocation.readers.map(\.device)).sorted().map(Output.cell).joined(separator: ", "),
            ]
          })
      Terminal.printNote("Change each password where it is used, then store it with: coffer set SERVICE ACCOUNT")
    } else if Terminal.isOutput {
      Terminal.printNote("nothing to replace")
    }
    for damage in damaged { Terminal.printError(damage.description) }
    if let first = damaged.first { throw ExitCode(first.exitCode) }
  }
}
