package import CofferFormat
internal import CofferSystem
package import CofferTrust

extension Membership {
  /// The error for what a revoked machine cannot do; nil for a machine that is not revoked.
  package func revocationError(of device: DeviceID) -> VaultError? {
    guard let position = devices[device]?.revocation else { return nil }
    let revocation = revocations.first { $0.position == position }
    let signer = revocation.map { " by \(name(of: $0.signer))" } ?? ""
    let date = revocation.map { " on \($0.time.date.localText)" } ?? ""
    return VaultError(
      .notEntitled, "this machine was taken out of the vault\(date)\(signer) (entry \(position.sequence) of the log)",
      recoverySuggestion:
        "nothing that it writes counts on other machines any more; to come back, run `coffer clone` in an empty home with the vault key"
    )
  }

  /// Returns the name of the machine whose admin signed an entry, or that of root.
  package func name(of signer: LogEntry.Signer) -> String {
    switch signer {
    case .root: "the vault key"
    case .admin(let id): authors[id].map { name(of: $0.device) } ?? "an unknown machine"
    }
  }
}
