internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferFormat
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct VaultKeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "vault-key", abstract: "Show, check or replace the key that recovers the vault.",
    discussion: """
      `coffer init` and `coffer vault-key rotate` show the vault key once, and `coffer vault-key show` does for a vault that an \
      app has created. It enrols another machine and recovers everything, and is then stored nowhere.
      """,
    subcommands: [VaultKeyShowCommand.self, VaultKeyCheckCommand.self, VaultKeyRotateCommand.self])
}

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

struct VaultKeyCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check whether a vault key opens this vault.",
    discussion: """
      Asks for the key without showing it, and tries it on the newest root slot that this machine has. Run `coffer sync` \
      before, so that this is the one on the remote. Needs no passphrase, and changes nothing.

      With --remote, also checks that the key and the remote alone recover the vault, as if every machine were lost: \
      downloads the vault as `coffer clone` does, verifies it with the key, and compares it with what this machine has \
      synced: the membership log, the keys of all access groups, and the current version of each item. Older versions are \
      not compared.

      Exit codes: 0 if the key opens the vault, 5 if it is mistyped, was replaced, or opens another one, 6 if the remote \
      lacks something.
      """)
  @OptionGroup var vaultKey: VaultKeyOptions
  @Flag(help: "Check that the key and the remote alone recover the vault.")
  var remote = false
  @OptionGroup var access: RemoteAccessOptions
  @OptionGroup var output: ReportOptions

  func validate() throws {
    if !remote && !access.arguments.isEmpty {
      throw ValidationError("--ca-file, --insecure-http and --timeout require --remote")
    }
  }

  func run() throws {
    let location = try VaultLocation.standard()
    let folder = VaultFolder(location)
    // What can be checked is checked before anybody is asked.
    let check = try VaultKeyCheck.begin(in: folder)
    let local = remote ? try LocalVault.open(folder) : nil
    let url = try local.map { (local) throws(VaultError) in try RemoteVaultCheck.remote(of: local) }
    let key = try readKey(check)
    var found: RemoteVaultCheck.Report?
    if let local, let url { found = try examine(local, at: url, location, key) }
    try show(check.number, folder, found)
  }

  /// Reads a key that opens the vault.
  private func readKey(_ check: VaultKeyCheck) throws(VaultError) -> VaultKey {
    func open(_ key: VaultKey) throws(VaultError) -> VaultKey {
      _ = try check.root(openedBy: key)
      return key
    }
    return if let key = try vaultKey.readFile() { try open(key) } else { try VaultKeyFile.ask(open) }
  }

  private func examine(
    _ local: LocalVault, at url: String, _ location: VaultLocation, _ key: VaultKey
  ) throws -> RemoteVaultCheck.Report {
    let staging = try StagingFolder.create(for: location, isRebuild: true)
    defer { extendLifetime(staging) }
    let access = access.over(try local.remoteOptions())
    try access.download(url, into: staging.folder)
    return try RemoteVaultCheck.begin(in: staging.folder, of: local, vaultKey: key).run(access.arguments)
  }

  private func show(_ number: UInt32, _ folder: VaultFolder, _ found: RemoteVaultCheck.Report?) throws {
    if output.json {
      let remote = found.map { found -> JSONObject in
        [
          "url": found.remote, "recoversVault": found.missing.isEmpty, "logLength": found.logLength,
          "versionCount": found.versionCount, "unsyncedChanges": found.unsyncedCount, "missing": found.missing,
        ]
      }
      try Output.json(object: ["opensVault": true, "vaultKeyNumber": number, "remote": remote])
      if found?.missing.isEmpty == false { throw ExitCode(6) }
    } else {
      try Output.line(
        "The vault key opens the vault at \(folder.path): it is number \(number), the newest that this machine knows.")
      if let found { try show(found) }
    }
  }

  private func show(_ found: RemoteVaultCheck.Report) throws {
    let url = Output.cell(found.remote)
    for line in found.missing { try Output.line("Missing: \(Output.cell(line))") }
    if found.unsyncedCount > 0 {
      try Output.line("\(counted(found.unsyncedCount, "change")) of this machine not synced yet. Next: coffer sync")
    }
    guard found.missing.isEmpty else {
      throw VaultError(
        .integrity, "the vault key and \(url) alone do not recover the vault as this machine has it",
        recoverySuggestion: RemoteVaultCheck.suggestion)
    }
    try Output.line(
      """
      \(url) recovers the vault with this key, even if every machine is lost: \(found.logLength) entries of the membership \
      log and \(counted(found.versionCount, "current version")) of items, which is what this machine has synced.
      """)
  }
}
