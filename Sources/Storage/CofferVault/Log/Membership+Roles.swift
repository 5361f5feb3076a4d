internal import CofferFormat
internal import CofferSystem
package import CofferTrust

extension Membership {
  /// The names of the machines whose owners may change the membership, as a list for people; nil if there are none.
  package var adminNames: String? {
    let names = adminMachines.map { name(of: $0.id) }.sorted()
    guard let last = names.last else { return nil }
    return names.count == 1 ? last : names.dropLast().joined(separator: ", ") + " or " + last
  }

  /// The error for what a member cannot do: only an admin may. It names the machines on which the command of this
  /// process works, and what the user can do instead, as an instruction, if there is something.
  fileprivate func adminNeeded(on machine: Device, or alternative: String?) -> VaultError {
    let name = name(of: machine.id)
    let removal = authors.values.filter { $0.isAdmin && $0.device == machine.id }.compactMap(\.cut)
      .max { $0.revocation.sequence < $1.revocation.sequence }
    let since =
      removal.flatMap { cut in revocations.first { $0.position == cut.revocation } }
      .map { " since its admin was removed \(words(for: $0))" } ?? ""
    let elsewhere =
      adminNames.map { "on \($0), run: \(NextCommand.same)" }
      ?? "no machine is an admin: make this one an admin with the vault key: coffer admin add \(name.shellWord)"
    return VaultError(
      .notEntitled, "this machine, \(name), is a member of the vault\(since), and only an admin may do this",
      recoverySuggestion: alternative.map { "\($0); or \(elsewhere)" } ?? elsewhere)
  }
}

extension LocalVault {
  /// The error for what this machine cannot do because it is a member; nil if it is an admin. If the log has forked, it
  /// is the error of the fork: that may have made the machine an admin. `alternative` is what the user can do instead,
  /// as an instruction. Throws `notEntitled` if the machine was removed from the vault.
  package func memberError(or alternative: String? = nil) throws(VaultError) -> VaultError? {
    if let error = try revocationError() { throw error }
    let membership = try membership()
    guard let machine = machine(in: membership), machine.role == .member else { return nil }
    return try explaining(membership.adminNeeded(on: machine, or: alternative))
  }
}
