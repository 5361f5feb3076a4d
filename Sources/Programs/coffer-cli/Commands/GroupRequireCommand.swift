internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferFormat
internal import CofferTerminal
internal import CofferTrust
internal import CofferVault

struct GroupRequireCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "require", abstract: "Demand that machines guard the keys of an access group.",
    discussion: """
      strong: an app gets the group's keys on a machine only if it is installed there with a credential that no other \
      program of the same user can read: see `coffer app install --setgid` and `--user`. Machines on which it is not do \
      not open the vault for the app.

      lease: a person has to agree before a program gets values of the group from the agent.

      none: a credential file that programs of the same user can read is enough.

      An admin does this, and the other machines obey after their next sync. Keys that apps have already, and that may be in \
      files, are named: whoever has copied such a file can open the group with it until the keys are revoked. `sudo coffer \
      app install` revokes those on its machine, and `coffer app remove APP --device NAME` those on any.
      """)
  @Argument(help: ArgumentHelp("The access group, see: coffer group list", valueName: "group"))
  var group: String
  @Argument(help: "What the group requires: strong, lease or none.")
  var requirement: GroupRequirement
  @Flag(help: "Print JSON.")
  var json = false
  @OptionGroup var passphrase: PassphraseOptions
  @OptionGroup var claims: ClaimOptions

  private struct Report: Encodable {
    let group: String
    let requirement: String
    let formerRequirement: String
    let keysInFiles: [Keys]

    struct Keys: Encodable {
      let app: String
      let machine: String
    }
  }

  func run() throws {
    let local = try LocalVault.open(VaultFolder(.standard()))
    let change = GroupRequirementChange(of: group, to: requirement, in: local, despiteClaims: claims.despiteClaims)
    // What can be checked is checked before anybody is asked.
    let former = try change.check()
    let source = passphrase.source(of: local).rememberingFirst()
    try SyncProgram.withMembershipChange(local) { (_) throws(VaultError) in
      try change.run(passphrase: source)
    } install: {
    }
    let keys = requirement == .strong ? try change.keysInFiles() : []
    guard !json else {
      return try Output.json(
        Report(
          group: former.group, requirement: requirement.name, formerRequirement: former.requirement.name,
          keysInFiles: keys.map { .init(app: $0.application.description, machine: $0.machine) }))
    }
    try Output.line("\(former.group) requires: \(requirement.name)")
    if requirement == .strong {
      Terminal.printNote("Install each app that uses it on each machine: see `coffer app list`.")
    }
    for found in keys {
      Terminal.printNote(
        "Keys of \(found.application.bundleID) may be in a file on \(Output.cell(found.machine)), and open the group until "
          + "they are revoked: install the app there, or run: \(found.revocation)")
    }
  }
}

extension GroupRequirement: ExpressibleByArgument {
  init?(argument: String) {
    guard let requirement = Self.allCases.first(where: { $0.name == argument }) else { return nil }
    self = requirement
  }

  static var allValueStrings: [String] { allCases.map(\.name) }
}
