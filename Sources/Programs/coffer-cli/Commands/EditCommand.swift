internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferInspection
internal import CofferTerminal
internal import CofferVault

struct EditCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Rename a password, or change its other attributes.",
    discussion: """
      The value stays as it is; `coffer set` replaces it. An empty text removes an attribute. Under new names, \
      the item keeps its --reference; its earlier versions stay in the history of the old names.
      """,
    aliases: ["rename"])
  @OptionGroup var password: PasswordChoice
  @OptionGroup var attributes: AttributeOptions
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  func validate() throws {
    try password.checkNames()
    guard !attributes.isEmpty else {
      throw ValidationError("name what to change, such as --service, --account or --label")
    }
  }

  func run() throws {
    let vault = InspectedVault(try actor.open(for: .changing(group.group), to: .use))
    let found = try password.findOne(in: vault.vault, group: group, as: actor)
    try vault.vault.check(.changing(found.group))
    let details = try vault.details(of: found)
    try vault.edit(details.revision, attributes.changes(of: details.fields))
    try Output.line("Changed \(Output.cell(details.row.title)) in \(details.row.group)")
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
