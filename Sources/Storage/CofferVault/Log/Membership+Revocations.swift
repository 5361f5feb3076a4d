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

  /// How a machine that was removed comes back: as a new one, in a folder of its own. What it has not sent is nowhere
  /// else, and its apps still open it. Nil stands for an unknown URL.
  package static func returnSuggestion(from remote: String?) -> String {
    "nothing that it writes counts on other machines any more; what only it has, `coffer export json FILE --app APP` writes to a file, with coffer.personal for your own groups; to come back as a new machine, with the vault key, run: COFFER_HOME=~/new coffer clone \(remote?.shellWord ?? "URL")"
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

extension LogFork {
  /// The error for what a forked log does not allow.
  package var error: VaultError {
    VaultError(.integrity, words, recoverySuggestion: recoverySuggestion)
  }

  /// The way out of a fork.
  package var recoverySuggestion: String {
    if isHandedOverTwice {
      return
        "the vault key was replaced on both branches, and somebody with the old vault key may have signed one of them: follow neither unseen. Compare these phrases with the head phrase of `coffer status` on the machine where you replaced it. If the last entry here is on the way to it, sync again until the host shows the rest; if the other branch ends with it, run here: coffer clone --rejoin --accept-fork"
    }
    if own.contains(.outdated) {
      return
        "the vault key was replaced on the other branch, so this machine's branch counts for nothing there; compare `coffer status` on the machine that replaced it and, to follow it, run here: coffer clone --rejoin --accept-fork"
    }
    if own.contains(.rejected) {
      return
        "the vault key was used to end the fork on the other branch, so this machine's branch counts for nothing; to follow the other one, run here: coffer clone --rejoin --accept-fork"
    }
    if !own.counts {
      return
        "the entries of this machine's branch were withdrawn by who signed them, or an admin who signed them was removed; to follow the other branch, run here: coffer clone --rejoin --accept-fork"
    }
    return
      "what was added on either branch does not count; see both with `coffer log`. If an admin's machine signed the other branch and cannot be trusted, remove it with the vault key on a machine that has the right one: coffer device revoke NAME. If a change on a machine failed at the host, repeating it there withdraws the entry. Otherwise end the fork on a machine that has the right branch, with the vault key: coffer log resolve. If only this machine has the wrong one, run here: coffer clone --rejoin --accept-fork"
  }
}
