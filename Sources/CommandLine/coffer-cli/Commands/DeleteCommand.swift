internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferCrypto
internal import CofferFormat
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct DeleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete an item.",
    discussion: """
      Deletes a generic password or, with --class internet-password, an internet password. Without an account, deletes the \
      only password of the service. If several access groups have the \
      item, name one with --group, or delete all of them with --all-groups. No application password is needed.

      An item that is damaged may have no name. The error that reports it has its identifier: coffer delete --item IDENTIFIER
      """,
    aliases: ["rm"])
  @OptionGroup var password: PasswordChoice
  @Option(
    help: ArgumentHelp(
      "Delete the item with this identifier, which errors about damaged items have.", valueName: "identifier"),
    transform: { text in
      guard let raw = bytes(hexadecimal: text).flatMap({ Bytes16($0) }) else {
        throw ValidationError("an item's identifier has 32 hexadecimal digits")
      }
      return ItemID(raw)
    })
  var item: ItemID?
  @OptionGroup var group: GroupOption
  @Flag(help: "Delete the item from every access group that has it.")
  var allGroups = false
  @OptionGroup var actor: ActorOptions

  func validate() throws {
    if allGroups && group.group != nil { throw ValidationError("--group and --all-groups exclude each other") }
    if item != nil {
      guard password.service == nil, password.kind == nil, password.reference == nil, !allGroups else {
        throw ValidationError("--item names the item; give no names, --class, --reference and --all-groups")
      }
    } else {
      try password.checkNames()
    }
  }

  func run() throws {
    let vault = try actor.open(for: .changing(group.group), to: .use)
    if let item {
      let name = try vault.delete(item, in: group.group)
      return try Output.line("Deleted the item \(item) from \(name)")
    }
    var command = self
    // A damaged item without an account is deleted, too.
    if try vault.accessGroups(containing: password.genericPassword, in: group.group).isEmpty,
      let only = try password.onlyAccount(in: vault, group: group.group)
    {
      command.password.account = only
    }
    try command.delete(from: vault)
  }

  private func delete(from vault: Vault) throws {
    let names = [password.service, password.account].compactMap(\.self).map(Output.cell).joined(separator: " ")
    let deleted = try vault.transaction {
      try password.namesExisting ? deleteExisting(from: vault) : deleteGeneric(from: vault)
    }
    for name in deleted { try Output.line("Deleted \(names.isEmpty ? "the item" : names) from \(name)") }
    try deleted.forEach { group throws(VaultError) in try printUndo(in: group, vault) }
  }

  /// Says on a terminal how the item comes back.
  private func printUndo(in group: String, _ vault: Vault) throws(VaultError) {
    guard Terminal.isOutput else { return }
    guard !password.namesExisting else { return Terminal.printNote("To undo, use: \(SiblingProgram.inspectCommand)") }
    let item = password.genericPassword
    let versions = try vault.history(of: item, in: group).versions
    guard let last = versions.first(where: { !$0.isDeletion }) else { return }
    let words = [item.service, item.account, VersionText.identifier(last)]
    Terminal.printNote("To undo: \(NextCommand.line("restore", words, app: actor.app, group: group))")
  }

  /// Deletes the generic password, also a damaged one. Returns the names of the groups that had it.
  private func deleteGeneric(from vault: Vault) throws(VaultError) -> [String] {
    let item = password.genericPassword
    let found = try vault.accessGroups(containing: item, in: group.group)
    guard !found.isEmpty else {
      guard password.kind == nil, let other = try password.find(in: vault, group: group.group).first else {
        throw password.notFound(in: vault, group: group, as: actor)
      }
      throw otherItem(other)
    }
    try checkGroups(found.map { $0.isWritable ? $0.name : "\($0.name) (read only)" })
    // A group that may only be read is refused as a write is.
    for group in found { try vault.check(.changing(group.name)) }
    for group in found { try vault.delete(item, in: group.name) }
    return found.map(\.name)
  }

  /// Deletes the password that a reference or the names of an internet password identify. Returns its groups.
  private func deleteExisting(from vault: Vault) throws(VaultError) -> [String] {
    let found = try password.findAll(in: vault, group: group.group)
    guard !found.isEmpty else { throw password.notFound(in: vault, group: group, as: actor) }
    let groups = Dictionary(grouping: found, by: \.group)
    if let several = groups.values.first(where: { $0.count > 1 }) { throw PasswordChoice.ambiguous(several) }
    try checkGroups(found.map(\.group))
    for item in found { try vault.check(.changing(item.group)) }
    for item in found { try item.delete(from: vault) }
    return found.map(\.group)
  }

  private func checkGroups(_ groups: [String]) throws(VaultError) {
    guard groups.count > 1, !allGroups else { return }
    throw VaultError(
      .invalidArgument, "\(groups.count) access groups have this item: \(groups.joined(separator: ", "))",
      recoverySuggestion: "choose one with --group, or delete it from all of them with --all-groups")
  }

  /// Returns the error if only another item than the generic password that is usually meant has the names.
  private func otherItem(_ other: FoundPassword) -> VaultError {
    let delete =
      switch other.kind {
      case .internet:
        NextCommand.line(
          "delete --class \(PasswordKind.internet.rawValue)", [other.place, other.account], app: actor.app,
          group: group.group)
      case .generic:
        NextCommand.line("delete --reference \(other.reference)", app: actor.app, group: group.group)
      }
    return VaultError(
      .itemNotFound,
      other.kind == .internet
        ? "an internet password in \(other.group) has these names, and no generic password"
        : "only a synchronizable item in \(other.group) has these names",
      recoverySuggestion: "to delete it, use: \(delete)")
  }
}
