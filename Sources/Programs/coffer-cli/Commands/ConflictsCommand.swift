internal import ArgumentParser
internal import Coffer
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct ConflictsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conflicts", abstract: "List the items that machines have changed at the same time, without values.",
    discussion: """
      Reads return the version that was written last. The others are kept until the next write of the item, and then for \
      30 days.

      `coffer history SERVICE ACCOUNT --value VERSION` prints the value of a version, and \
      `coffer restore SERVICE ACCOUNT VERSION` makes it the current one.
      """)
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions
  @Flag(help: "Print JSON.")
  var json = false

  private struct Row: Encodable {
    let group: String
    let service: String
    let account: String
    let versions: [VersionRow]
  }

  func run() throws {
    let vault = try actor.open(for: .reading(group.group))
    let conflicts = try vault.conflicts(GenericPassword.self, in: group.group).compactMap { conflict in
      conflict.versions.compactMap(\.item).first.map { (item: $0, versions: conflict.versions) }
    }
    if json {
      try Output.json(
        conflicts.map { conflict in
          Row(
            group: conflict.versions[0].accessGroup, service: conflict.item.service, account: conflict.item.account,
            versions: conflict.versions.map { VersionRow($0, isInConflict: true) })
        })
    } else if !conflicts.isEmpty {
      try Output.table(
        [["GROUP", "SERVICE", "ACCOUNT", "VERSION"] + VersionRow.columns]
          + conflicts.flatMap { conflict in
            conflict.versions.map {
              [
                $0.accessGroup, Output.name(conflict.item.service), Output.name(conflict.item.account),
                VersionText.identifier($0),
              ] + VersionRow.cells($0, isInConflict: true)
            }
          })
      let history = NextCommand.line("history", app: actor.app, group: group.group)
      let restore = NextCommand.line("restore", app: actor.app, group: group.group)
      Terminal.printNote("See a value with: \(history) SERVICE ACCOUNT --value VERSION")
      Terminal.printNote("Choose a version with: \(restore) SERVICE ACCOUNT VERSION")
    } else if Terminal.isOutput {
      Terminal.printNote("no conflicts")
    }
    let others = try otherCount(vault)
    if others > 0 {
      Terminal.printNote(
        "\(others == 1 ? "1 item" : "\(others) items") of other classes, such as internet passwords and keys: their app "
          + "lists these conflicts and ends them")
    }
  }

  /// The number of items in conflict that are no generic passwords.
  private func otherCount(_ vault: Vault) throws(VaultError) -> Int {
    try vault.conflicts(InternetPassword.self, in: group.group).count
      + vault.conflicts(KeychainKey.self, in: group.group).count
      + vault.conflicts(KeychainCertificate.self, in: group.group).count
  }
}
