internal import ArgumentParser
internal import Coffer
internal import CofferTerminal
internal import CofferVault

struct DeleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete an item.",
    discussion:
      "If several access groups have the item, name one with --group, or delete all of them with --all-groups.",
    aliases: ["rm"])
  @OptionGroup var names: PasswordArguments
  @OptionGroup var group: GroupOption
  @Flag(help: "Delete the item from every access group that has it.")
  var allGroups = false
  @OptionGroup var actor: ActorOptions

  func validate() throws {
    if allGroups && group.group != nil { throw ValidationError("--group and --all-groups exclude each other") }
  }

  func run() throws {
    let vault = try actor.open(for: .changing(group.group))
    let deleted = try vault.transaction { try delete(from: vault) }
    for name in deleted {
      try Output.line("Deleted \(Output.cell(names.service)) \(Output.cell(names.account)) from \(name)")
    }
  }

  /// Deletes the item, and returns the names of the groups that had it.
  private func delete(from vault: Vault) throws(VaultError) -> [String] {
    let found = try vault.accessGroups(containing: names.password, in: group.group)
    guard !found.isEmpty else { throw names.notFound(in: group, as: actor) }
    guard found.count == 1 || allGroups else {
      let list = found.map { $0.isWritable ? $0.name : "\($0.name) (read only)" }.joined(separator: ", ")
      throw VaultError(
        .invalidArgument, "\(found.count) access groups have this item: \(list)",
        recoverySuggestion: "choose one with --group, or delete it from all of them with --all-groups")
    }
    // A group that may only be read is refused as a write is.
    for group in found { try vault.check(.changing(group.name)) }
    for group in found { try vault.delete(names.password, in: group.name) }
    return found.map(\.name)
  }
}
