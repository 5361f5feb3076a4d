internal import ArgumentParser
internal import Coffer
internal import CofferTerminal
internal import CofferTrust
internal import CofferVault

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
  @Flag(help: "Print JSON.")
  var json = false
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
    let registration = AppRegistration(local, passphrase: source, despiteClaims: claims.despiteClaims)
    var isNew = false
    try SyncProgram.withRegistration(in: local) { (_) throws(VaultError) in
      let membership = try local.settledMembership()
      guard let request = try PersonalApp.registration(addingGroup: group, in: membership) else { return ([], nil) }
      isNew = true
      let outcome = try registration.register(request, keepingRights: true)
      return (outcome.credentials, outcome.position)
    }
    if isNew { AgentProgram.keepNewKeys(of: local, source) }
    let name = try local.settledMembership().team.prefix + group
    guard !json else { return try Output.json(object: ["group": name, "isNew": isNew]) }
    try Output.line("\(name) \(isNew ? "is" : "was already") a group of your own.")
    if isNew { Terminal.printNote("To store something in it: coffer set --group \(group) SERVICE ACCOUNT") }
  }
}
