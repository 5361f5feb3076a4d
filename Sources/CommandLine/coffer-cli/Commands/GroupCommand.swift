internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferFormat
internal import CofferInspection
internal import CofferSystem
internal import CofferTerminal
internal import CofferTrust
internal import CofferVault

struct GroupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "group", abstract: "Show, create and delete access groups, and demand how machines guard their keys.",
    subcommands: [GroupListCommand.self, GroupCreateCommand.self, GroupDeleteCommand.self, GroupRequireCommand.self])
}

struct GroupListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the access groups and the apps that use them.", aliases: ["ls"])
  @OptionGroup var output: ReportOptions

  func run() throws {
    let status = try VaultStatus.read(from: LocalVault.openForReading(warn: Terminal.printError))
    let names = TeamNames(team: status.team)
    try output.show(
      status.groups, ["GROUP", "ITEMS", "REQUIRES", "WRITTEN BY", "READ BY"],
      ifEmpty: "no groups; add an app, which brings its groups, with: coffer app add FILE.entitlements"
    ) { group in
      [
        "group": group.name, "itemCount": group.itemCount, "conflictCount": group.conflictCount,
        "keyGeneration": group.generation, "requirement": group.requirement, "readers": group.readers,
        "writers": group.writers,
      ]
    } cells: { group in
      [
        group.name,
        group.conflictCount == 0 ? "\(group.itemCount)" : "\(group.itemCount) (\(group.conflictCount) in conflict)",
        group.requirement == "none" ? "-" : group.requirement,
        group.writers.map(names.short).joined(separator: ", "),
        group.readers.map(names.short).joined(separator: ", "),
      ]
    }
  }
}

struct GroupCreateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Create an access group of your own, to keep things apart.",
    discussion: """
      A group of your own, such as the one to which `coffer set` writes without --group: no app has it, unless its owner \
      registers it with `coffer app add`. An admin does this, and the other machines have the group after their next sync. \
      Creates a vault if there is none.

      coffer group create work
      coffer set --group work github.com jane
      coffer list --group work
      """)
  @Argument(help: ArgumentHelp("The name of the group: letters, digits, dots and hyphens.", valueName: "group"))
  var group: String
  @OptionGroup var output: ReportOptions
  @OptionGroup var passphrase: PassphraseOptions
  @OptionGroup var claims: ClaimOptions

  func run() throws {
    // What can be checked is checked before a vault is created and anybody is asked.
    try PersonalApp.checkGroup(named: group)
    let folder = try VaultFolder(.standard())
    if try PersonalApp.createVaultIfNeeded(at: VaultLocation(folder: folder.url)) {
      folder.printCreationNote()
    }
    let local = try LocalVault.open(folder)
    if let error = try local.memberError() { throw error }
    let source = passphrase.source(of: local, note: "to create \(group)").rememberingFirst()
    let registration = AppRegistration(local, passphrase: source, allowingLogFork: claims.allowsLogFork)
    var isNew = false
    try SyncProgram.publication.register(in: local) { (_) throws(VaultError) in
      let membership = try local.publishedMembership()
      guard let request = try PersonalApp.registration(addingGroup: group, in: membership) else { return ([], nil) }
      isNew = true
      let outcome = try registration.register(request, keepingRights: true)
      return (outcome.credentials, outcome.position)
    }
    if isNew { AgentProgram.keepNewKeys(of: local, source) }
    let name = try local.publishedMembership().team.prefix + group
    try output.show(
      ["group": name, "isNew": isNew], "\(name) \(isNew ? "is" : "was already") a group of your own.")
    if isNew, !output.json {
      Terminal.printNote("To store something in it: coffer set --group \(group) SERVICE ACCOUNT")
    }
  }
}

struct GroupDeleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete an access group of your own.",
    discussion: """
      A group that you have created with `coffer group create`. It has to be empty, unless --delete-items deletes what is \
      in it first. An admin does this, and the other machines lose the group with their next sync.

      To keep an item, move it first: coffer move SERVICE ACCOUNT --group work --to coffer.personal
      """,
    aliases: ["rm"])
  @Argument(
    help: ArgumentHelp("The name of the group, with or without the team prefix.", valueName: "group"),
    completion: .custom(VaultCompletion.ownGroups))
  var group: String
  @Flag(help: "Delete the items that are in the group, on all machines.")
  var deleteItems = false
  @Flag(name: .shortAndLong, help: "Do not ask whether the deletion of items is meant.")
  var yes = false
  @Flag(help: "Print JSON: the group, and how many items were deleted with it.")
  var json = false
  @OptionGroup var passphrase: PassphraseOptions
  @OptionGroup var claims: ClaimOptions

  func run() throws {
    let local = try LocalVault.open(VaultFolder(.standard()))
    if let error = try local.memberError() { throw error }
    let name = try PersonalApp.registration(removingGroup: group, in: local.publishedMembership()).group
    let count = try checkedItemCount(of: name, in: local)
    if count > 0, !yes {
      try Confirmation.ask(after: ["\(name) is deleted, with \(counted(count, "item")) in it, on all machines."])
    }
    let source = passphrase.source(of: local).rememberingFirst()
    let registration = AppRegistration(local, passphrase: source, allowingLogFork: claims.allowsLogFork)
    var deleted: [DeletedItem] = []
    do {
      try SyncProgram.publication.register(in: local) { (attempt) throws(VaultError) in
        let request = try PersonalApp.registration(removingGroup: group, in: local.publishedMembership()).request
        // Another machine's items can have come with the sync before this attempt.
        if try checkedItemCount(of: name, in: local) > 0 { deleted += try deleteAll(in: name, of: local, source) }
        // Only this loss is meant, whatever another machine changes at the same time.
        let lost = try registration.preview(request).change.lost.filter { $0.name == name }
        let outcome = try registration.register(request, accepting: lost, despiteNewRecords: attempt > 1)
        return (outcome.credentials, outcome.position)
      }
    } catch {
      if !deleted.isEmpty { restore(deleted, in: name, of: local, source) }
      throw error
    }
    guard !json else {
      return try Output.json(object: ["group": name.description, "deletedItemCount": deleted.count])
    }
    try Output.line(
      "Deleted the group \(name)\(deleted.isEmpty ? "" : ", with \(counted(deleted.count, "item"))")")
  }

  /// Restores the items of a group that could not be deleted, unless it was: an error can follow the push. The items
  /// have to be deleted before the group: afterwards, nobody may write there.
  private func restore(
    _ items: [DeletedItem], in name: AccessGroupName, of local: LocalVault, _ source: PassphraseSource
  ) {
    do throws(VaultError) {
      guard (try? PersonalApp.registration(removingGroup: group, in: local.publishedMembership())) != nil else {
        return Terminal.printNote("The group \(name) is deleted, with \(counted(items.count, "item")).")
      }
      try Vault.open(asOwnerOf: local, passphrase: source).restore(items)
      Terminal.printNote(
        "The group \(name) is not deleted, and its \(counted(items.count, "item")) \(items.count == 1 ? "is" : "are") as before."
      )
    } catch {
      Terminal.printError(
        "the group \(name) is not deleted, but its \(counted(items.count, "item")) could not be restored: \(error.message)"
          + "; bring back each with: coffer restore SERVICE ACCOUNT VERSION --group \(name)")
    }
  }

  /// Returns the number of items in the group. Throws `invalidArgument` if there are some that should stay.
  private func checkedItemCount(of name: AccessGroupName, in local: LocalVault) throws(VaultError) -> Int {
    let count = try VaultStatus.read(from: local).groups.first { $0.name == name.description }?.itemCount ?? 0
    guard count == 0 || deleteItems else {
      let short = group.sanitizedForTerminal()
      throw VaultError(
        .invalidArgument, "\(counted(count, "item")) \(count == 1 ? "is" : "are") in the access group \(short)",
        recoverySuggestion:
          "list what is in it with `coffer list --group \(short)`, move it with `coffer move SERVICE ACCOUNT --group \(short) --to coffer.personal`, or delete all of it with: coffer group delete \(short) --delete-items"
      )
    }
    return count
  }

  /// Deletes all items of the group, or none if an error is thrown. Returns them.
  private func deleteAll(
    in name: AccessGroupName, of local: LocalVault, _ source: PassphraseSource
  ) throws(VaultError) -> [DeletedItem] {
    let vault = try Vault.open(asOwnerOf: local, passphrase: source)
    do {
      return try vault.transaction {
        let found = try ItemClass.allCases.flatMap {
          try vault.find(ItemSearch($0, group: name.description), withValues: false)
        }
        return try vault.delete(vault.revisions(at: found.map(\.address)))
      }
    } catch {
      throw VaultError(translating: error)
    }
  }
}
