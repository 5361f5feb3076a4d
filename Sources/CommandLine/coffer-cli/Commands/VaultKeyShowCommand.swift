internal import ArgumentParser
internal import Coffer
internal import CofferFormat
internal import CofferTerminal
internal import CofferVault

struct VaultKeyShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show the vault key of a vault that an app has created, once.",
    discussion: """
      A vault that was created by an app, or by `coffer set`, keeps its vault key on this machine until its owner has written \
      it down. This command shows it, and then deletes it here. It asks for this machine's passphrase, if there is one. \
      Whoever has the key and the repository owns the vault.
      """)
  @Option(
    help: ArgumentHelp(
      "Write the vault key into this file (mode 0600; it must not exist) instead of printing it.", valueName: "file"),
    completion: .file())
  var vaultKeyFile: String?
  @Flag(name: .shortAndLong, help: "Do not ask whether the vault key is written down.")
  var yes = false
  @OptionGroup var passphrase: PassphraseOptions

  func run() throws {
    try DeniedReads.check()
    let local = try LocalVault.open(VaultFolder(.standard()))
    if let vaultKeyFile { try VaultKeyFile.checkCreatable(vaultKeyFile) }
    if vaultKeyFile == nil && !yes && !Terminal.isInput {
      throw VaultError(
        .invalidArgument, "nobody can be asked whether the vault key is written down",
        recoverySuggestion: "write it into a file with --vault-key-file, or add --yes; nothing was changed")
    }
    let lock = try FileLock.acquire(
      path: local.folder.membershipLockPath, timeout: .seconds(60), purpose: "change of membership")
    defer { extendLifetime(lock) }
    let key = try KeptVaultKey.read(in: local, passphrase: passphrase.source(of: local))
    if let vaultKeyFile {
      try VaultKeyFile.write(key, to: vaultKeyFile)
    } else {
      try NewSecret.print(
        key.text, heading: "Your vault key, shown this once",
        explanation: """
          It enrols another machine (coffer clone) and recovers everything. Whoever has it owns the vault.
          If it is lost, your machines continue to work, but no admin's machine can be added; if they are lost too,
          nobody can open the vault again.
          """)
      guard try yes || Terminal.askYes("Is it written down?") else {
        throw VaultError(
          .locked, "cancelled; this machine keeps the vault key",
          recoverySuggestion: "show it again with: coffer vault-key show")
      }
    }
    try KeptVaultKey.forget(in: local)
    try Output.line(
      vaultKeyFile.map {
        "The vault key is in \(Output.cell($0)): move it to a safe place. This machine does not keep it."
      }
        ?? "This machine does not keep the vault key any more.")
  }
}
