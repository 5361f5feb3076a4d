internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferCrypto
internal import CofferPlatform
internal import CofferPrompt
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct UnlockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlock", abstract: "Unlock the vault for the next commands, with one passphrase.",
    discussion: """
      Starts the agent of this user if none runs. It keeps the owner's keys and those of locked apps, and `get`, `set`, \
      `list`, `inspect` and others use them without asking again, until it is locked: by `coffer lock`, after the idle time, \
      after 12 hours, and before the machine sleeps or when the screen is locked (with systemd's logind). What changes the \
      membership asks for the passphrase all the same.

      Every program of this user can read the vault meanwhile. With --confirm, and for groups that require it (see \
      `coffer group require`), a person has to allow it for each terminal or other process tree, for ten minutes: in a dialog of the desktop on which the agent was \
      started, or with the passphrase in the terminal.

      Without a terminal, a dialog of pinentry asks for the passphrase.
      """)
  @Option(
    help: ArgumentHelp(
      "Lock after this time without use: 90s, 10m or 1h. Default: as before, or 10m.", valueName: "time"),
    transform: { text in
      guard let time = IdleTime(text) else {
        throw ValidationError("use a time from 1 second to 24 hours, such as 90s, 10m or 1h")
      }
      return time
    })
  var idle: IdleTime?
  @Flag(inversion: .prefixedNo, help: "Let a person confirm the use for each process tree. Default: as before, or not.")
  var confirm: Bool?
  @Flag(help: "Ask in a dialog of pinentry, also in a terminal.")
  var pinentry = false
  @OptionGroup var passphrase: PassphraseOptions
  @Flag(help: "Print JSON.")
  var json = false

  private struct Report: Encodable {
    let vault: String
    let keyCount: Int
    let locks: Date?
  }

  func run() throws {
    let local = try LocalVault.open(VaultFolder(.standard()))
    let opened = try PassphraseKeys.open(in: local, passphrase: source(of: local))
    guard !opened.isEmpty else {
      guard !json else { return try Output.json(Report(vault: local.folder.path, keyCount: 0, locks: nil)) }
      return Terminal.printNote("Nothing in this vault is sealed under a passphrase: commands ask for none.")
    }
    try AgentProgram.start()
    for (author, keys) in opened {
      try AgentClient.keep(
        AgentDeposit(
          folder: local.folder.path, author: author, secret: keys.secret, idleSeconds: idle.map { UInt32($0.seconds) },
          confirms: confirm))
    }
    let vault = try AgentClient.status().vaults.first { $0.vault == local.folder.path }
    guard !json else {
      return try Output.json(Report(vault: local.folder.path, keyCount: opened.count, locks: vault?.locks))
    }
    let end = vault.map { " until \(Output.date($0.locks)), or longer while it is used" } ?? ""
    try Output.line("Unlocked \(opened.count) key\(opened.count == 1 ? "" : "s")\(end). To lock: coffer lock")
  }

  private func source(of local: LocalVault) -> PassphraseSource {
    guard passphrase.path == nil, pinentry || !Terminal.canAsk else { return passphrase.source(of: local) }
    let name = local.machineName
    return PassphraseSource(attempts: 3) { (previous) throws(VaultError) in
      var dialog = PinentryDialog(
        description: "Unlock the vault on \(name)", prompt: "Passphrase",
        error: previous == nil ? nil : "Wrong passphrase. Try again.")
      dialog.isUnreadable = true
      switch dialog.secret(with: PinentryDialog.programs()) {
      case .answered(let secret): return secret
      case .cancelled:
        throw VaultError(
          .authenticationCancelled, "cancelled; nothing was unlocked",
          recoverySuggestion: "run it again with: coffer unlock")
      case .unavailable:
        throw VaultError(
          .locked, "there is neither a terminal nor a desktop to ask for the passphrase on",
          recoverySuggestion: "run `coffer unlock` in a terminal, or give --passphrase-file")
      }
    }
  }
}
