internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferFormat
internal import CofferInspection
internal import CofferTerminal
internal import CofferVault

/// Removes something from a vault, after its effect was shown and confirmed.
struct RemovalOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Do not ask whether this is meant.")
  var yes = false
  @OptionGroup var vaultKey: VaultKeyOptions
  @Flag(help: "Print JSON: what was removed, and how many items should be replaced.")
  var json = false
  @OptionGroup var passphrase: PassphraseOptions
  @OptionGroup var claims: ClaimOptions

  /// Shows what the removal does, asks whether it is meant, does it, and prints what was done, for which `summary`
  /// returns a sentence. The subject is given by identifiers: another machine could get the name during the sync.
  func run(_ local: LocalVault, _ subject: Removal.Subject, summary: (RemovalPreview) -> String) throws {
    let removal = Removal(of: subject, from: local, despiteClaims: claims.despiteClaims)
    let preview = try removal.preview()
    if !yes { try Confirmation.ask(after: preview.lines) }
    let authority = try authority(for: preview, local)
    let done = try removal.publish(in: local, as: authority, accepting: yes ? nil : preview)
    if json { try Output.json(done.json) } else { try Output.line(summary(done)) }
    done.printAdvice()
  }

  /// Returns the keys that sign the removal. The vault key is asked for only if it is needed.
  private func authority(for preview: RemovalPreview, _ local: LocalVault) throws(VaultError) -> Removal.Authority {
    if let known = try vaultKey.readFile() { return .root(known) }
    guard preview.needsVaultKey else { return .admin(passphrase.source(of: local).rememberingFirst()) }
    let reason =
      "Only the vault key removes an admin, so that whoever steals one admin's machine cannot remove the others."
    return .root(try vaultKey.key(of: local, because: reason))
  }
}

extension Removal {
  /// Signs the removal, and syncs until the remote has it. `accepted` is what somebody has confirmed; nil for anything.
  func publish(in local: LocalVault, as authority: Authority, accepting accepted: RemovalPreview?) throws
    -> RemovalPreview
  {
    var done = try preview()
    try SyncProgram.withMembershipChange(local) { (attempt) throws(VaultError) in
      done = try preview()
      // What arrives during the first attempt stays valid. Who is removed must not be able to write for ever.
      return try run(as: authority, accepting: accepted, despiteNewRecords: attempt > 1)
    }
    return done
  }
}

extension RemovalPreview {
  /// Says what to do after the removal.
  func printAdvice() {
    if itemCount > 0 { Terminal.printNote("List what to replace now with: coffer rotate") }
    for app in deliveredApps { Terminal.printNote("To give \(app.words) its rights again, \(app.advice)") }
  }

  /// What the removal does, a line each.
  var lines: [String] {
    effects.map(\.line) + claims.map { "Caution: the remote \($0). If that is true, the log forks." }
  }
}
