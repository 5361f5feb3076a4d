internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferInspection
internal import CofferTerminal
internal import CofferVault

struct GroupListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the access groups and the apps that use them.", aliases: ["ls"])
  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let status = try VaultStatus.read(from: LocalVault.openForReading(warn: Terminal.printError))
    let groups = status.groups
    let names = TeamNames(team: status.team)
    guard !json else {
      return try Output.json(
        groups.map {
          [
            "group": $0.name, "itemCount": $0.itemCount, "conflictCount": $0.conflictCount,
            "keyGeneration": $0.generation, "requirement": $0.requirement, "readers": $0.readers, "writers": $0.writers,
          ] as JSONObject
        })
    }
    if groups.isEmpty {
      return Terminal.printNote(
        "no groups; add an app, which brings its groups, with: coffer app add FILE.entitlements")
    }
    try Output.table(
      [["GROUP", "ITEMS", "REQUIRES", "WRITTEN BY", "READ BY"]]
        + groups.map { group in
          [
            group.name,
            group.conflictCount == 0 ? "\(group.itemCount)" : "\(group.itemCount) (\(group.conflictCount) in conflict)",
            group.requirement == "none" ? "-" : group.requirement,
            group.writers.map(names.short).joined(separator: ", "),
            group.readers.map(names.short).joined(separator: ", "),
          ]
        })
  }
}
