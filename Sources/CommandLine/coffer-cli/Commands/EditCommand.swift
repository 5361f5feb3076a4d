internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferCrypto
internal import CofferInspection
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct EditCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Rename a password, change its other attributes, or edit its value.",
    discussion: """
      Without an account, changes the only password of the service. Without --value, the value stays as it is; `coffer set` replaces it. An empty text removes an attribute. Under new names, \
      the item keeps its --reference; its earlier versions stay in the history of the old names.

      With --value, opens the value in the editor that VISUAL or EDITOR names, in a private file, on Linux in memory, that is \
      overwritten afterwards. The editor may keep copies of its own, such as a history of changes.
      """,
    aliases: ["rename"])
  @OptionGroup var password: PasswordChoice
  @OptionGroup var attributes: AttributeOptions
  @Flag(help: "Edit the value, in the editor that VISUAL or EDITOR names.")
  var value = false
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  func validate() throws {
    try password.checkNames()
    guard !attributes.isEmpty || value else {
      throw ValidationError(
        "name what to change, such as --service NEW, --label TEXT or --value; coffer set replaces the value")
    }
  }

  func run() throws {
    let vault = InspectedVault(try actor.open(for: .changing(group.group), to: value ? .show : .use))
    let found = try password.findOne(in: vault.vault, group: group, as: actor)
    try vault.vault.check(.changing(found.group))
    var details = try vault.details(of: found)
    let changes = try attributes.changes(of: details.fields)
    let value = try value ? edited(found, &details, in: vault) : nil
    guard value != nil || !changes.isEmpty else {
      Terminal.printNote("If the editor is still open, use one that waits, such as: EDITOR='code --wait'")
      return try Output.line("The value is the same; nothing was changed.")
    }
    try vault.edit(details.revision, changes, value: value)
    try Output.line("Changed \(Output.cell(details.row.title)) in \(details.row.group)")
  }

  /// Returns the value as the user has edited it; nil if it is the same. If another version with the old value came in the
  /// meantime, `details` are those of this version.
  private func edited(
    _ found: FoundPassword, _ details: inout ItemDetails, in vault: InspectedVault
  ) throws(VaultError) -> SecretText? {
    guard let stored = try found.value(in: vault.vault) else {
      throw password.notFound(in: vault.vault, group: group, as: actor)
    }
    var old = [UInt8](stored)
    defer { old.wipe() }
    var new = try EditedValue.edit(old, named: Output.cell(found.title))
    guard new != old else { return nil }
    guard !new.isEmpty else {
      let names = NextCommand.line(
        "set --allow-empty --class \(found.kind.rawValue)", [found.place, found.account], app: actor.app,
        group: found.group)
      throw VaultError(
        .invalidArgument, "the value is empty; nothing was changed",
        recoverySuggestion: "to store an empty value, run: \(names)")
    }
    let now = try vault.details(of: found)
    if now.revision != details.revision, let value = try found.value(in: vault.vault) {
      var current = [UInt8](value)
      defer { current.wipe() }
      if current == old { details = now }
    }
    return SecretText(moving: &new)
  }
}

extension InspectedVault {
  convenience init(_ vault: Vault) { self.init(vault: vault, local: vault.local) }

  /// Returns everything about a password that was found.
  func details(of found: FoundPassword) throws(VaultError) -> ItemDetails {
    guard let reference = ItemReference.references(argument: found.reference).first else {
      throw VaultError(
        .itemNotFound, "the item has no reference by which it can be changed",
        recoverySuggestion: "store its value again with: coffer set")
    }
    return try details(of: reference, in: found.group)
  }
}
