package import Coffer
internal import CofferCrypto
package import CofferFormat
internal import CofferSystem
internal import CofferTrust
package import CofferVault

/// Makes a member an admin. Only root may, so that whoever holds one admin's machine cannot make itself others.
package struct Appointment: Sendable {
  private let local: LocalVault
  private let machine: DeviceID
  private let despiteClaims: Bool

  /// With `despiteClaims`, changes membership although another machine has seen entries of the log that this one lacks.
  package init(of machine: DeviceID, in local: LocalVault, despiteClaims: Bool = false) {
    self.machine = machine
    self.local = local
    self.despiteClaims = despiteClaims
  }

  /// Checks, by the log as it is here, whether the machine can become an admin. Throws `itemNotFound` if it is not in
  /// the vault, and `invalidArgument` if it is an admin or has no delivery key.
  package func check() throws(VaultError) { try check(local.membership()) }

  /// Appends the appointment and the keys of all groups to the log, all or nothing. Call it again if it was not published,
  /// because another machine's entries came first.
  package func run(with vaultKey: VaultKey) throws(VaultError) -> LogPosition? {
    let session = try AdminSession.openRoot(local, vaultKey: vaultKey)
    return try session.change(despiteClaims: despiteClaims) { draft in
      try check(draft.membership)
      try draft.appoint(machine, with: session.keys)
    }.position
  }

  private func check(_ membership: Membership) throws(VaultError) {
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
}

/// Gives a machine of the vault another name.
package struct MachineRenaming: Sendable {
  private let local: LocalVault
  private let machine: DeviceID
  private let name: String
  private let despiteClaims: Bool

  /// With `despiteClaims`, changes the log although another machine has seen entries of it that this one lacks.
  package init(of machine: DeviceID, to name: String, in local: LocalVault, despiteClaims: Bool = false) {
    self.local = local
    self.machine = machine
    self.name = name
    self.despiteClaims = despiteClaims
  }

  /// Checks, by the log as it is here, whether the machine can have the name, and returns the present one. Throws
  /// `notEntitled` on a member, `itemNotFound` if the machine is not in the vault, and `invalidArgument` for a name
  /// that no machine can have, that another machine has, or that the machine already has.
  package func check() throws(VaultError) -> String {
    if let error = try local.memberError() { throw error }
    let former = try formerName(in: local.membership())
    guard let former else {
      throw VaultError(
        .invalidArgument, "the machine \(name.sanitizedForTerminal()) already has this name",
        recoverySuggestion: "nothing was changed; see the names with: coffer device list")
    }
    return former
  }

  /// Appends the statement to the log. Call it again if it was not published, because another machine's entries came
  /// first. Returns nil if another admin has given the machine the same name meanwhile.
  package func run(passphrase: PassphraseSource) throws(VaultError) -> LogPosition? {
    let session = try AdminSession.open(local, despiteClaims: despiteClaims, passphrase: passphrase)
    return try session.change(despiteClaims: despiteClaims) { draft in
      guard try formerName(in: draft.membership) != nil else { return }
      try draft.append(
        .deviceName(DeviceNameStatement(device: machine, name: name)), by: session.signer, key: session.keys.signing)
    }.position
  }

  /// Returns the present name of the machine; nil if it is the new one.
  private func formerName(in membership: Membership) throws(VaultError) -> String? {
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
