internal import ArgumentParser
internal import Coffer
internal import CofferFormat
internal import CofferInspection
internal import CofferTerminal
internal import CofferVault
internal import Foundation

struct RefusedListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List versions of items that do not count, without values.",
    discussion: "Those that were adopted, or that somebody has written over, are left out.", aliases: ["ls"])
  @Flag(help: "Also list versions that were adopted or written over.")
  var all = false
  @OptionGroup var actor: OwnerOptions
  @Flag(help: "Print JSON.")
  var json = false

  private struct Row: Encodable {
    let version: String
    let `class`: String
    let app: String?
    let machine: String?
    let group: String?
    let service: String?
    let account: String?
    let label: String?
    let written: Date
    let isDeletion: Bool
    let reason: String
    let obstacle: String?
  }

  func run() throws {
    let records = try actor.open().refusedRecords().filter { all || $0.obstacle != .followed }
    guard !json else {
      return try Output.json(
        records.map {
          Row(
            version: $0.identifier, class: ItemWords.className($0.itemClass), app: $0.writer?.application,
            machine: $0.writer?.device,
            group: $0.group, service: $0.place, account: $0.attributes?.string(.account),
            label: $0.attributes?.string(.label), written: $0.written, isDeletion: $0.isDeletion, reason: $0.reason,
            obstacle: $0.obstacle?.rawValue)
        })
    }
    guard !records.isEmpty else {
      if Terminal.isOutput { Terminal.printNote("no refused versions") }
      return
    }
    try Output.table(
      [["VERSION", "WRITTEN", "WRITTEN BY", "GROUP", "SERVICE", "ACCOUNT", "WHY"]]
        + records.map(cells))
    Terminal.printNote("Make one the current version with: coffer refused adopt VERSION")
  }

  private func cells(_ record: RefusedRecord) -> [String] {
    let account = record.attributes?.string(.account)
    let note = record.note.map { "; \($0)" } ?? ""
    return [
      String(record.identifier.prefix(ItemVersionRow.shownIdentifierLength)), Output.date(record.written),
      record.writer.map(VersionText.writer) ?? "unknown", record.group ?? "unknown", Output.name(record.place ?? "-"),
      Output.name(account ?? "-"), record.reason + note,
    ]
  }
}

extension RefusedRecord {
  /// What the item is for; nil if the attributes do not open.
  fileprivate var place: String? { attributes.flatMap(ItemWords.place) }

  /// What somebody has to know before adopting it.
  fileprivate var note: String? {
    switch obstacle {
    case .itemChanged: "the item was changed since: adopt it with --force"
    case .noKey: "no key opens it here"
    case .damaged: "its contents are damaged"
    case .followed: "adopted or written over"
    case .unknownAuthor: "it cannot be adopted"
    case nil: isDeletion ? "it deletes the item" : nil
    }
  }
}
