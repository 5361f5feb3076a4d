internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferFormat
internal import CofferTerminal
internal import CofferVault

struct VaultKeyRotateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate", abstract: "Replace the vault key by a new one.",
    discussion: """
      For a vault key that somebody else may have seen, or after a recovery. Asks for the present vault key, and shows the \
      new one once. Everything that the present one opens gets new keys, so that it opens nothing that is written from \
      then on. What was written before, it opens for ever in copies of the repository: replace those passwords if \
      somebody may have it. `coffer rotate` lists them; `coffer rotate dismiss --all` takes them off the list if nobody does.

      All machines and apps keep their access, and need not do anything. Take away the right to push from whoever may have \
      the old vault key before you replace it, and compare the head phrase on all machines afterwards.
      """)
  @OptionGroup var vaultKey: VaultKeyOptions
  @Option(
    help: ArgumentHelp(
      "Write the new vault key into this file (mode 0600; it must not exist) instead of printing it.",
      valueName: "file"),
    completion: .file())
  var newVaultKeyFile: String?
  @Flag(name: .shortAndLong, help: "Do not ask whether the new vault key is written down.")
  var yes = false
  @Flag(help: "Print JSON. It does not contain the new vault key, so --new-vault-key-file is required.")
  var json = false
  @OptionGroup var claims: ClaimOptions

  func validate() throws {
    if json && newVaultKeyFile == nil { throw ValidationError("--json requires --new-vault-key-file") }
  }

  func run() throws {
    try DeniedReads.check()
    let local = try LocalVault.open(VaultFolder(.standard()))
    try local.forgetReplacedVaultKey()
    if local.keepsVaultKey {
      throw VaultError(
        .invalidArgument, "this machine still keeps the present vault key; nothing was changed",
        recoverySuggestion: "take it with `coffer vault-key show`, and run this command again")
    }
    // Everything that can be checked is checked before anybody is asked, and before a new key is shown in vain.
    if let newVaultKeyFile { try VaultKeyFile.checkCreatable(newVaultKeyFile) }
    if newVaultKeyFile == nil && !yes && !Terminal.isInput {
      throw VaultError(
        .invalidArgument, "nobody can be asked whether the new vault key is written down",
        recoverySuggestion: "write it into a file with --new-vault-key-file, or add --yes; nothing was changed")
    }
    let given = try vaultKey.readFile()
    if given == nil { try VaultKeyFile.checkCanAsk() }
    if try local.remote() != nil { try SyncProgram.publication.sync(local.folder) }
    let rotation = VaultKeyRotation(of: local, allowingLogFork: claims.allowsLogFork)
    let current = try present(given, rotation)
    try handOver(rotation.vaultKey)
    try replace(rotation, local, current)
    try report(rotation.outcome())
  }

  /// Returns the present vault key: the one that was given, or one that is asked for.
  private func present(_ given: VaultKey?, _ rotation: VaultKeyRotation) throws(VaultError) -> VaultKey {
    if let given {
      try rotation.check(openedBy: given)
      return given
    }
    Terminal.printNote("Give the present vault key; the new one is shown then.")
    return try VaultKeyFile.ask { (key) throws(VaultError) in
      try rotation.check(openedBy: key)
      return key
    }
  }

  /// Shows the new key or writes it into the file, and asks whether it is written down.
  private func handOver(_ key: VaultKey) throws(VaultError) {
    if let newVaultKeyFile { return try VaultKeyFile.write(key, to: newVaultKeyFile) }
    try NewSecret.print(
      key.text, heading: "Your new vault key, shown this once",
      explanation: "It replaces the present one in a moment. Coffer does not store it.")
    let isWrittenDown = yes ? true : try Terminal.askYes("Is it written down?")
    guard isWrittenDown else {
      throw VaultError(
        .locked, "cancelled; nothing was changed", recoverySuggestion: "the new vault key opens nothing: forget it")
    }
  }

  private func replace(_ rotation: VaultKeyRotation, _ local: LocalVault, _ current: VaultKey) throws {
    do {
      try SyncProgram.publication.change(local) { (_) throws(VaultError) in
        try rotation.run(openedBy: current)
      }
    } catch {
      if try rotation.isInLog || rotation.mayCountLater {
        Terminal.printNote(
          "The remote did not confirm the change, and may have kept it. Keep both vault keys until this command succeeds. If another machine then shows another head phrase, the host has shown it what it kept: run there `coffer clone --rejoin --accept-fork`."
        )
      } else {
        if let newVaultKeyFile { VaultKeyFile.remove(newVaultKeyFile) }
        Terminal.printNote(
          "The vault key was not replaced: the new one opens nothing, and the present one still counts.")
      }
      throw error
    }
  }

  private func report(_ outcome: VaultKeyRotation.Outcome) throws {
    guard !json else {
      return try Output.json(object: [
        "vaultKeyNumber": outcome.number, "newVaultKeyFile": newVaultKeyFile, "groups": outcome.groups,
        "machines": outcome.machines, "headPhrase": outcome.headPhrase,
      ])
    }
    if let newVaultKeyFile {
      try Output.line("The new vault key is in \(Output.cell(newVaultKeyFile)): move it to a safe place.")
    }
    try Output.line(
      """
      The vault key was replaced: this is the vault's key number \(outcome.number). The one before it opens nothing that is
      written from now on; do not keep it. \(outcome.groups.count) access groups have new keys, for \(outcome.machines.count) machines.
      `coffer rotate` lists the items that the one before it can open: replace their values if somebody may have it, or dismiss
      them.
      Head phrase: \(outcome.headPhrase) — compare it with `coffer status` on the other machines after their next sync.
      """)
  }
}
