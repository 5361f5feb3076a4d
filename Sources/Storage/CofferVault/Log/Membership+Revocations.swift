package import CofferFormat
internal import CofferSystem
package import CofferTrust

extension Membership {
  /// The error for what a revoked machine cannot do; nil for a machine that is not revoked. `remote` is the URL of the
  /// vault's remote, if it is known.
  package func revocationError(of device: DeviceID, remote: String? = nil) -> VaultError? {
    guard let position = devices[device]?.revocation,
      let revocation = revocations.first(where: { $0.position == position })
    else { return nil }
    guard devices[device]?.isReadOnly != true else {
      return VaultError(
        .notEntitled, "the credential \(name(of: device)) was removed from the vault \(words(for: revocation))",
        recoverySuggestion: "it opens nothing any more; create a new one with: coffer device create")
    }
    return VaultError(
      .notEntitled, "this machine was removed from the vault \(words(for: revocation))",
      recoverySuggestion: Self.returnSuggestion(from: remote))
  }

  /// How a machine that was removed comes back: as a new one, in a folder of its own. Nil stands for an unknown URL.
  package static func returnSuggestion(from remote: String?) -> String {
    "nothing that it writes counts on other machines any more; to come back as a new machine, with the vault key, run: COFFER_HOME=~/new coffer clone \(remote?.shellWord ?? "URL")"
  }

  /// The error for a machine that cannot be removed, because it was before; nil for any other.
  package func removalError(of machine: DeviceID) -> VaultError? {
    guard let position = devices[machine]?.revocation,
      let revocation = revocations.last(where: { $0.position == position })
    else { return nil }
    return VaultError(
      .itemNotFound, "\(name(of: machine)) was removed from the vault \(words(for: revocation))",
      recoverySuggestion: "nothing was changed; see all machines with: coffer device list --revoked")
  }

  /// The error for an app, by its full identifier or bundle identifier, that was removed from the vault on every
  /// machine; nil for any other.
  package func removalError(ofAppNamed name: String) -> VaultError? {
    func isNamed(_ application: ApplicationID) -> Bool {
      application.description == name || application.bundleID.description == name
    }
    guard !apps.keys.contains(where: isNamed), let last = revocations.last(where: { $0.apps.contains(where: isNamed) })
    else { return nil }
    return VaultError(
      .notEntitled, "the app \(name) was removed from the vault \(words(for: last))",
      recoverySuggestion: "its items remain; register it again as an admin: coffer app add FILE.entitlements")
  }

  /// The error for an app whose rights on its machine, where it was `author`, have ended. It says why, if the app
  /// itself is not the reason, and how it gets rights again.
  package func removalError(of author: Author, of application: String) -> VaultError {
    var reason = ""
    if case .admin(let maker) = author.signer, let admin = authors[maker], admin.cut != nil,
      admin.device != author.device
    {
      reason = ", because \(name(of: admin.device)), whose admin was removed, had made its keys"
    }
    let install = "coffer app install \(application)"
    var advice = "give it a new credential: \(install)"
    if let machine = devices[author.device], machine.role == .member {
      advice =
        adminNames.map { "on \($0), run: \(install) --on \(name(of: machine.id).shellWord); then here: \(install)" }
        ?? "make a machine an admin with the vault key: coffer admin add NAME"
    }
    return VaultError(
      .notEntitled, "\(application) was removed from the vault on this machine\(reason)", recoverySuggestion: advice)
  }

  /// When and by whom something was removed.
  package func words(for revocation: Revocation) -> String {
    "on \(revocation.time.date.localText) by \(name(of: revocation.signer)) (entry \(revocation.position.sequence) of the log)"
  }

  /// Returns the name of the machine whose admin signed an entry, or that of root.
  package func name(of signer: LogEntry.Signer) -> String {
    switch signer {
    case .root: "the vault key"
    case .admin(let id): authors[id].map { name(of: $0.device) } ?? "an unknown machine"
    }
  }
}
