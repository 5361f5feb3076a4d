internal import ArgumentParser
internal import Coffer
internal import CofferFormat
internal import CofferTerminal
internal import CofferVault

/// Takes something out of a vault, after its effect was shown and confirmed.
struct RemovalOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Do not ask whether this is meant.")
  var yes = false
  @Option(
    help: ArgumentHelp("Read the vault key from a file instead of asking for it.", valueName: "file"),
    completion: .file())
  var vaultKeyFile: String?
  @Flag(help: "Print JSON: what was taken out, and how many items should be replaced.")
  var json = false
  @OptionGroup var passphrase: PassphraseOptions
  @OptionGroup var claims: ClaimOptions

  /// Shows what the removal does, asks whether it is meant, and does it.
  ///
  /// - Parameters:
  ///   - local: The vault.
  ///   - summary: What is done then, as a sentence for the output.
  ///   - subject: Returns what is taken out. It is called again after each sync.
  /// - Throws: `VaultError`, and the errors of the sync.
  func run(
    _ local: LocalVault, summary: String, _ subject: () throws(VaultError) -> Removal.Subject
  ) throws {
    let preview = try Removal(of: subject(), from: local).preview()
    if !yes { try Confirmation.ask(after: preview.lines) }
    try remove(local, subject, as: authority(for: preview, local))
    if json { try Output.json(RemovalReport(preview)) } else { try Output.line(summary) }
  }

  /// Returns the keys that sign the removal. The vault key is asked for only if it is needed.
  private func authority(for preview: RemovalPreview, _ local: LocalVault) throws(VaultError) -> Removal.Authority {
    if let vaultKeyFile { return .root(try VaultKeyFile.read(vaultKeyFile)) }
    guard preview.needsVaultKey else { return .admin(passphrase.source(of: local).rememberingFirst()) }
    Terminal.printNote("Only the vault key takes an admin's machine out, so that a stolen one cannot do it.")
    return .root(
      try VaultKeyFile.ask { (key) throws(VaultError) in
        _ = try VaultKeyCheck.begin(in: local.folder).root(openedBy: key)
        return key
      })
  }

  private func remove(
    _ local: LocalVault, _ subject: () throws(VaultError) -> Removal.Subject, as authority: Removal.Authority
  ) throws {
    try SyncProgram.withMembershipChange(local) { (attempt) throws(VaultError) in
      // What arrives during the first attempt stays valid. Who is taken out must not be able to write for ever.
      try Removal(of: subject(), from: local, despiteClaims: claims.despiteClaims)
        .run(as: authority, despiteNewRecords: attempt > 1)
    } install: {
    }
  }
}

extension RemovalPreview {
  /// What the removal does, a line each.
  fileprivate var lines: [String] {
    var lines: [String] = []
    if !machines.isEmpty { lines.append("Machines: \(machines.map(Output.cell).joined(separator: ", "))") }
    if !apps.isEmpty { lines.append("Apps that lose their rights there: \(apps.joined(separator: ", "))") }
    lines.append("Access groups that get new keys: \(groups.isEmpty ? "none" : groups.joined(separator: ", "))")
    lines.append("Items that could be read: \(itemCount); their values should be replaced.")
    lines.append("Records that they wrote and that stay valid: \(recordCount).")
    return lines
  }
}
