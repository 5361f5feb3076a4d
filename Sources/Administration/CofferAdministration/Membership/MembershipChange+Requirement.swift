package import Coffer
internal import CofferCrypto
package import CofferFormat
internal import CofferSystem
package import CofferTrust
package import CofferVault

extension MembershipChange {
  /// Returns a group's full name and its present requirement. The name is with or without the team's prefix. Throws
  /// `notEntitled` on a member, and `itemNotFound` for a group without a key.
  package func checkRequirement(
    of name: String
  ) throws(VaultError) -> (group: String, requirement: GroupRequirement) {
    if let error = try local.memberError() { throw error }
    let group = try Self.group(named: name, in: local.membership())
    return (group.name.description, group.requirement)
  }

  /// States what an access group requires of the machines that give apps its keys.
  package func require(
    _ requirement: GroupRequirement, of name: String, passphrase: PassphraseSource
  ) throws(VaultError) -> LogPosition? {
    try sign(with: passphrase) { session, draft in
      let group = try Self.group(named: name, in: draft.membership)
      guard group.requirement != requirement else { return }
      try draft.append(
        .groupRequirement(GroupRequirementStatement(group: group.id, requirement: requirement)), by: session.signer,
        key: session.keys.signing)
    }
  }

  /// Returns the keys that apps of the group have already and that are not guarded as the group now requires, by the
  /// log as it is here. For `strong`, those that may be in files: a program of their user that has copied them can open
  /// the group with them, whatever Coffer does on that machine, until they are revoked. For `lease`, those that no
  /// passphrase protects or, on another machine, may not: with them, nobody is asked.
  package func keysInFiles(of name: String, despite requirement: GroupRequirement) throws(VaultError) -> [KeysInFiles] {
    guard requirement != .none else { return [] }
    let membership = try local.membership()
    let (group, here) = (try Self.group(named: name, in: membership), local.machine(in: membership)?.id)
    return membership.apps.values.filter { $0.entitlements.access(to: group.name) != nil }
      .sorted { $0.id.description < $1.id.description }
      .flatMap { app in
        let isGuardedHere = local.credentialStatus(of: app.id, in: membership).protection != .open
        let devices = local.principalsInFiles(of: app.id, in: membership).map(\.device)
        return Set(devices).filter { device in
          requirement == .strong || (device == here ? !isGuardedHere : !app.statement.requiresPassphrase)
        }
        .map { membership.commandName(of: $0) }.sorted()
        .map { KeysInFiles(of: app.id, on: $0) }
      }
  }

  private static func group(named name: String, in membership: Membership) throws(VaultError) -> RegisteredGroup {
    let found = [membership.team.prefix + name, name].lazy
      .compactMap { membership.groups[GroupID(vault: membership.vault, name: $0)] }.first
    guard let found else {
      throw VaultError(
        .itemNotFound, "no access group \(name.sanitizedForTerminal()) has a key in this vault",
        recoverySuggestion: "see the groups with: coffer group list")
    }
    return found
  }
}

/// Keys of an app that may be in files on a machine, although a group of the app forbids that.
package struct KeysInFiles: Hashable, Sendable {
  package let application: ApplicationID
  /// The machine's name, or the beginning of its identifier if another machine has the same name.
  package let machine: String

  package init(of application: ApplicationID, on machine: String) {
    self.application = application
    self.machine = machine
  }

  /// The command that takes their rights from them, and gives the app's groups new keys.
  package var revocation: String { "coffer app remove \(application.bundleID) --device \(machine.shellWord)" }

  /// What protects them with a passphrase, so that a lease guards them, as the words of an instruction.
  package var sealing: String {
    OwnApps.contains(application)
      ? "run `coffer passphrase change` on \(machine.sanitizedForTerminal()), or `coffer passphrase set` if it has none"
      : "register the app again with: coffer app add --locked \(application.bundleID)"
  }
}
