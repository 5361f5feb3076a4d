internal import Coffer
internal import CofferCrypto
package import CofferFormat
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
