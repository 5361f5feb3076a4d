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

      lease: a person has to agree before a program gets values of the group from the agent. The agent keeps keys that a \
      passphrase protects; whoever has others is not asked. So on this machine, the keys of the owner's own groups are sealed under its \
      passphrase if they are not, and the keys of other apps and machines that may be in open files are named.

      none: a credential file that programs of the same user can read is enough.

      An admin does this, and the other machines obey after their next sync. Keys that apps have already, and that may be in \
      files, are named: whoever has copied such a file can open the group with it until the keys are revoked. `sudo coffer \
      app install` revokes those on its machine, and `coffer app remove APP --device NAME` those on any.
      """)
  @Argument(help: ArgumentHelp("The access group, see: coffer group list", valueName: "group"))
  var group: String
  @Argument(help: "What the group requires: strong, lease or none.")
  var requirement: GroupRequirement
  @OptionGroup var output: ReportOptions
  @OptionGroup var passphrase: PassphraseOptions
  @OptionGroup var claims: ClaimOptions

  func run() throws {
    let local = try LocalVault.open(VaultFolder(.standard()))
    let change = MembershipChange(in: local, allowingLogFork: claims.allowsLogFork)
    // What can be checked is checked before anybody is asked.
    let former = try change.checkRequirement(of: group)
    let source = passphrase.source(of: local).rememberingFirst()
    // First: once machines demand a lease, this one does not open its own group with keys in an open file.
    let sealed = requirement == .lease ? try PassphraseChange.sealOwnApps(in: local, passphrase: source) : []
    try SyncProgram.publication.change(local) { (_) throws(VaultError) in
      try change.require(requirement, of: group, passphrase: source)
    }
    let keys = try change.keysInFiles(of: group, despite: requirement)
    guard !output.json else {
      return try Output.json(object: [
        "group": former.group, "requirement": requirement.name, "formerRequirement": former.requirement.name,
        "keysInFiles": keys.map { ["app": $0.application.description, "machine": $0.machine] as JSONObject },
        "sealedApps": sealed.map(\.description),
      ])
    }
    try Output.line("\(former.group) requires: \(requirement.name)")
    if requirement == .strong {
      Terminal.printNote("Install each app that uses it on each machine: see `coffer app list`.")
    }
    if !sealed.isEmpty {
      Terminal.printNote(
        "The passphrase protects the keys of \(sealed.map(\.bundleID.description).joined(separator: ", ")) from now on."
      )
    }
    if requirement == .lease {
      if local.ownerKeyProtection == .open {
        Terminal.printNote(
          "This machine has no passphrase, so a lease guards nothing here. Set one with: coffer passphrase set")
      }
      for found in keys {
        Terminal.printNote(
          "Keys of \(found.application.bundleID) may be in a file on \(Output.cell(found.machine)) that no passphrase "
            + "protects, and nobody is asked there: \(found.sealing)")
      }
      return
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
