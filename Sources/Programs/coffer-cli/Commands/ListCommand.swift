internal import ArgumentParser
internal import Coffer
internal import CofferInspection
internal import CofferTerminal
internal import Foundation

struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List items and their attributes, without values.",
    discussion: """
      The items that were created first come first. On a terminal, long names are shortened; in a pipe and with --json \
      they are whole.
      """,
    aliases: ["ls"])
  @Argument(help: "List only the items of this service.")
  var service: String?
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions
  @Flag(help: "List items of all classes, by access group and class.")
  var tree = false
  @Flag(help: "Print JSON.")
  var json = false

  private struct Row: Encodable {
    let `class` = ItemKind.genericPassword.argument
    let reference: String
    let group: String
    let service: String
    let account: String
    let label: String?
    let created: Date
    let modified: Date
    let writerApp: String?
    let writerMachine: String
    let hasConflict: Bool
  }

  func validate() throws {
    if tree && service != nil { throw ValidationError("--tree and a service exclude each other") }
  }

  func run() throws {
    guard !tree else { return try runTree() }
    var query = ItemQuery<GenericPassword>(in: group.group)
    if let service { query = query.matching(.service, service) }
    let list = try actor.open(for: .reading(group.group)).list(query)
    let items = list.items
    if json {
      try Output.json(
        items.map {
          Row(
            reference: ItemReference($0.reference)?.path ?? "", group: $0.accessGroup, service: $0.service,
            account: $0.account, label: $0.label,
            created: $0.created, modified: $0.modified, writerApp: $0.writer.application,
            writerMachine: $0.writer.device, hasConflict: $0.hasConflict)
        })
    } else if !items.isEmpty {
      try Output.table(
        [["GROUP", "SERVICE", "ACCOUNT", "LABEL", "MODIFIED", "WRITTEN BY"]]
          + items.map {
            [
              $0.accessGroup, Output.name($0.service), Output.name($0.account),
              Output.name($0.label ?? "-"), Output.date($0.modified),
              "\(VersionText.writer($0.writer))" + ($0.hasConflict ? " (conflict)" : ""),
            ]
          })
    } else if Terminal.isOutput {
      Terminal.printNote(service == nil ? "no items" : "no items of this service")
    }
    for damage in list.damaged { Terminal.printError(damage.description) }
    if let first = list.damaged.first { throw ExitCode(first.exitCode) }
  }

  private func runTree() throws {
    let opened = try actor.open(for: .reading(group.group))
    let vault = InspectedVault(vault: opened, local: opened.local)
    let tree = ItemTree(vault: vault, groups: try vault.groups(named: group.group))
    let damaged = try json ? tree.printJSON() : tree.print()
    if tree.groups.isEmpty && !json {
      // In a pipe too: an empty output would not tell an empty vault from a vault without groups.
      Terminal.printNote("no groups; register an app, which brings its groups, with: coffer app add FILE.entitlements")
    }
    for damage in damaged { Terminal.printError(damage.description) }
    if let first = damaged.first { throw ExitCode(first.exitCode) }
  }
}
