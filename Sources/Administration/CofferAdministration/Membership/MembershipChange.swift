package import Coffer
internal import CofferCrypto
package import CofferFormat
internal import CofferSystem
internal import CofferTrust
package import CofferVault

/// Changes of the membership that this machine's owner signs, or root.
///
/// Each can be checked first, by the log as it is here, before somebody is asked for a secret. Each appends its entries
/// to the log, all or nothing, and returns the position of the last one; nil if there is nothing to change. Call it
/// again if the entries were not published, because another machine's came first.
package struct MembershipChange: Sendable {
  package let local: LocalVault
  /// Whether the log is changed although another machine has seen entries of it that this one lacks: it can fork then.
  let allowsLogFork: Bool

  package init(in local: LocalVault, allowingLogFork: Bool = false) {
    self.local = local
    allowsLogFork = allowingLogFork
  }

  /// Appends what this machine's admin signs. With `despiteNewRecords`, records that arrive before the push are refused
  /// instead of preventing a revocation. Throws `notEntitled` without admin keys.
  func sign(
    with passphrase: PassphraseSource, despiteNewRecords: Bool = false,
    _ draw: (AdminSession, inout LogDraft) throws -> Void
  ) throws(VaultError) -> LogPosition? {
    let session = try AdminSession.open(local, allowingLogFork: allowsLogFork, passphrase: passphrase)
    return try session.change(allowingLogFork: allowsLogFork, despiteNewRecords: despiteNewRecords) { draft in
      try draw(session, &draft)
    }.position
  }

  // MARK: Appointments

  /// Throws `itemNotFound` if a machine is not in the vault, and `invalidArgument` if it cannot become an admin: it is
  /// one, or has no delivery key.
  package func checkAppointment(of machine: DeviceID) throws(VaultError) {
    try Self.checkAppointment(of: machine, in: local.membership())
  }

  /// Makes a member an admin. Only root may, so that whoever holds one admin's machine cannot make itself others.
  package func appoint(_ machine: DeviceID, with vaultKey: VaultKey) throws(VaultError) -> LogPosition? {
    let session = try AdminSession.openRoot(local, vaultKey: vaultKey)
    return try session.change(allowingLogFork: allowsLogFork) { draft in
      try Self.checkAppointment(of: machine, in: draft.membership)
      try draft.appoint(machine, with: session.keys)
    }.position
  }

  private static func checkAppointment(of machine: DeviceID, in membership: Membership) throws(VaultError) {
    let device = try membership.memberMachine(machine)
    guard !device.isReadOnly else {
      throw VaultError(
        .invalidArgument, "\(membership.name(of: machine)) is a headless credential, which only reads",
        recoverySuggestion: "to make an admin, clone the vault on a machine")
    }
    guard device.role == .member else {
      throw VaultError(
        .invalidArgument, "\(membership.name(of: machine)) is an admin already",
        recoverySuggestion: "nothing was changed; see: coffer admin list")
    }
  }

  // MARK: Names of machines

  /// Returns the present name of a machine that can have another one. Throws `notEntitled` on a member, `itemNotFound`
  /// if the machine is not in the vault, and `invalidArgument` for a name that no machine can have, that another
  /// machine has, or that the machine already has.
  package func checkRenaming(of machine: DeviceID, to name: String) throws(VaultError) -> String {
    if let error = try local.memberError() { throw error }
    guard let former = try Self.formerName(of: machine, namedNow: name, in: local.membership()) else {
      throw VaultError(
        .invalidArgument, "the machine \(name.sanitizedForTerminal()) already has this name",
        recoverySuggestion: "nothing was changed; see the names with: coffer device list")
    }
    return former
  }

  /// Gives a machine of the vault another name, unless another admin has given it that meanwhile.
  package func rename(
    _ machine: DeviceID, to name: String, passphrase: PassphraseSource
  ) throws(VaultError) -> LogPosition? {
    try sign(with: passphrase) { session, draft in
      guard try Self.formerName(of: machine, namedNow: name, in: draft.membership) != nil else { return }
      try draft.append(
        .deviceName(DeviceNameStatement(device: machine, name: name)), by: session.signer, key: session.keys.signing)
    }
  }

  /// Returns the present name of the machine; nil if it is the new one.
  private static func formerName(
    of machine: DeviceID, namedNow name: String, in membership: Membership
  ) throws(VaultError) -> String? {
    let device = try membership.memberMachine(machine)
    guard DeviceStatement.isValid(name: name) else {
      throw VaultError(
        .invalidArgument,
        "the new name is empty, longer than 128 bytes, or has control characters or line separators",
        recoverySuggestion: "give another one; nothing was changed")
    }
    guard !device.name.utf8.elementsEqual(name.utf8) else { return nil }
    if let other = membership.members.first(where: { $0.id != machine && $0.name == name }) {
      throw VaultError(
        .invalidArgument,
        "another machine of this vault (\(other.id.description.prefix(8))) is named \(name.sanitizedForTerminal())",
        recoverySuggestion: "give another name; nothing was changed; see the machines with: coffer device list")
    }
    return device.name
  }
}
