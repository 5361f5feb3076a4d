package import CofferFormat
internal import CofferSystem
package import CofferTrust

extension LogClaims.Claim {
  /// What the claim means for the remote, as a clause whose subject is the remote.
  package func words(in membership: Membership) -> String {
    let machine = membership.name(of: device)
    return isContradiction
      ? "shows another entry \(position.sequence) of the membership log than \(machine) has seen: the host shows the machines different logs, or \(machine) is not honest"
      : "lacks entry \(position.sequence) of the membership log, which \(machine) has seen there"
  }
}

extension LogClaims {
  /// Returns the error for a change of membership that has to wait until the log confirms what other machines have
  /// seen; nil if nothing is open. `machines` are those that the change removes: a machine must not prevent that by
  /// what it claims.
  package func error(in membership: Membership, except machines: Set<DeviceID> = []) -> VaultError? {
    guard let claim = open.first(where: { !machines.contains($0.device) }) else { return nil }
    let machine = membership.name(of: claim.device)
    let what =
      claim.isContradiction
      ? "another entry \(claim.position.sequence) of the membership log than this machine"
      : "entry \(claim.position.sequence) of the membership log, which this machine does not have"
    return VaultError(
      .integrity, "\(machine) has seen \(what): a change now could fork the log",
      recoverySuggestion:
        "compare `coffer status` on both machines and sync again; if \(machine) cannot be trusted, remove it with: coffer device revoke NAME, or go on with --despite-claims"
    )
  }
}

extension Membership {
  /// Returns the name that the owner gave a machine.
  package func name(of device: DeviceID) -> String {
    devices[device]?.name.sanitizedForTerminal() ?? "an unknown machine"
  }
}
