internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferTerminal
internal import CofferVault

struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Make an earlier version of an item the current one.",
    discussion: """
      Writes the attributes and the value of that version again, also if the item was deleted. A version that deleted \
      the item deletes it again. Ends a conflict: the other versions stay in the history for 30 days. To keep the \
      current version of an item in conflict, restore it.
      """)
  @Argument(help: "The service that the password is for.", completion: .custom(VaultCompletion.services))
  var service: String
  @Argument(
    help: ArgumentHelp(
      "The account at the service; can be left out if the service has one password only.", valueName: "account"),
    completion: .custom(VaultCompletion.accounts))
  var accountOrVersion: String
  @Argument(
    help: ArgumentHelp(
      "The version: the beginning of its identifier in `coffer history` or `coffer conflicts`, at least four characters. The last argument.",
      valueName: "version"))
  var lastVersion: String?
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions
  @Flag(help: "Print JSON: the new version.")
  var json = false

  private var names: (service: String, account: String?) { (service, lastVersion == nil ? nil : accountOrVersion) }

  func run() throws {
    let vault = try actor.open(for: .changing(group.group), to: .use)
    let history = try ItemVersions.read(of: names, from: vault, in: group, as: actor)
    let version = try history.version(named: lastVersion ?? accountOrVersion)
    let isNeeded = !version.isCurrent || history.isInConflict(version)
    if isNeeded { try vault.restore(version) }
    let after = isNeeded ? try ItemVersions.read(of: names, from: vault, in: group, as: actor) : history
    let current = after.versions.first {
      $0.isCurrent && $0.accessGroup == version.accessGroup
        && $0.item?.isSynchronizable == version.item?.isSynchronizable
    }
    if json {
      try Output.json(current.map { $0.json(isInConflict: after.isInConflict($0)) })
    } else if isNeeded {
      try Output.line("Restored \(VersionText.origin(version)).")
    } else {
      try Output.line("This is the current version; nothing was changed.")
    }
  }
}
