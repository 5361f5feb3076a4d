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

      Without a terminal, a dialog of pinentry asks for the passphrase. On a member's machine with several apps, --no-confirm and a longer \
      time hold only after `coffer lock`.
      """)
  @Option(
    help: ArgumentHelp(
      "Lock after this time without use: 90s, 10m or 1h. Default: as before, or 10m.", valueName: "time"),
    transform: IdleTime.argument)
  var idle: IdleTime?
  @Flag(inversion: .prefixedNo, help: "Let a person confirm the use for each process tree. Default: as before, or not.")
  var confirm: Bool?
  @Flag(help: "Ask in a dialog of pinentry, also in a terminal.")
  var pinentry = false
  @OptionGroup var passphrase: PassphraseOptions
  @OptionGroup var output: ReportOptions

  func run() throws {
    let local = try LocalVault.open(VaultFolder(.standard()))
    let opened = try PassphraseKeys.open(in: local, passphrase: source(of: local))
    guard !opened.isEmpty else {
      guard !output.json else { return try Output.json(object: ["vault": local.folder.path, "keyCount": 0]) }
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
    guard !output.json else {
      return try Output.json(object: ["vault": local.folder.path, "keyCount": opened.count, "locks": vault?.locks])
    }
    if confirm == false, vault?.confirms == true {
      Terminal.printNote(
        "The agent has keys of other apps, too, so a person still has to allow their use. Run: coffer lock && coffer unlock --no-confirm"
      )
    }
    let end = vault.map { " until \(Output.date($0.locks)), or longer while it is used" } ?? ""
    try Output.line("Unlocked \(opened.count) key\(opened.count == 1 ? "" : "s")\(end). To lock: coffer lock")
  }

  private func source(of local: LocalVault) -> PassphraseSource {
    guard passphrase.path == nil, pinentry || !Terminal.canAsk else { return passphrase.source(of: local) }
    let name = local.machineName
    return PassphraseSource(attempts: 3) { (previous) throws(VaultError) in
      var dialog = PinentryDialog(
        lines: ["Unlock the vault on \(name)"], prompt: "Passphrase",
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

struct LockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lock",
    abstract: "Lock the agent, the Secret Service, and every vault that `coffer inspect` has open.",
    discussion: """
      The agent of this user (see `coffer unlock`) drops all keys. Each `coffer inspect` of this user drops the keys of its \
      vault, of all vaults in the folder that COFFER_HOME names, and \
      its page asks for the passphrase. One whose vault needs no passphrase ends. `coffer-secret-service` drops the keys that \
      a passphrase has opened. The command returns when all have done so. \
      A screen locker can run it:

      swayidle -w lock 'coffer lock'
      """)
  @OptionGroup var output: ReportOptions

  func run() throws {
    var processes: [Int32] = []
    var failure: VaultError?
    var keyCount = 0
    do throws(VaultError) {
      keyCount = try AgentClient.lock() ?? 0
    } catch {
      // The others are locked all the same.
      failure = error
    }
    for folder in try VaultFolder.all() {
      do throws(VaultError) {
        processes += try InspectLock.lockAll(in: folder)
      } catch {
        failure = failure ?? error
      }
    }
    processes.sort()
    let secretServiceKeyCount = SecretServiceProgram.lockKeys()
    if output.json {
      // The keys of apps are in `coffer-secret-service` if no agent runs.
      try Output.json(object: [
        "keyCount": keyCount, "processes": processes, "secretServiceKeyCount": secretServiceKeyCount,
      ])
    } else {
      if keyCount > 0 { try Output.line("Locked the agent, which had \(keyCount) key\(keyCount == 1 ? "" : "s").") }
      if !processes.isEmpty {
        try Output.line("Locked coffer inspect in process \(processes.map(String.init).joined(separator: ", ")).")
      }
    }
    if secretServiceKeyCount > 0, !output.json { try Output.line("Locked the Secret Service.") }
    if let failure { throw failure }
    if processes.isEmpty, keyCount == 0, secretServiceKeyCount == 0, !output.json {
      Terminal.printNote("Nothing was unlocked: no agent or service has keys, and no coffer inspect a vault.")
    }
  }
}

struct InspectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect", abstract: "Show the vault in a browser.",
    discussion: """
      Starts a server that only this machine reaches, and opens the browser with an address that works once. The page \
      shows items, apps, machines and the log, and changes items. No request goes to another host.

      Ends by Ctrl-C, by "Lock and end" in the page, or after a time without use. To lock the vault at once, for example \
      with the screen:

      coffer lock
      """)
  @OptionGroup var options: InspectOptions

  func run() throws {
    // That program reads the same options.
    try SiblingProgram.replaceProcess(by: "coffer-inspect", arguments: Array(CommandLine.arguments.dropFirst(2)))
  }
}

/// The program `coffer-agent`.
enum AgentProgram {
  static let name = "coffer-agent"

  /// Starts the agent unless it runs, or systemd starts it. Returns when commands can connect.
  static func start() throws(VaultError) {
    guard !isListening else { return }
    let path = try SiblingProgram.locate(name)
    do throws(SystemError) {
      let child = try ChildProcess.start(path, arguments: ["--background"], input: .null, output: .null)
      guard child.wait() != .code(0) else { return }
    } catch {
      throw SiblingProgram.startFailure(path, error)
    }
    throw VaultError(
      .io, "the agent could not be started",
      recoverySuggestion: "see why with `\(path.shellWord)`, and give --passphrase-file meanwhile")
  }

  /// Gives an agent that has keys of a vault those that were sealed under the passphrase since: without them, the next
  /// command would ask for it although the vault is unlocked. The source has asked for the passphrase before.
  static func keepNewKeys(of local: LocalVault, _ source: PassphraseSource) {
    guard local.ownerKeyProtection == .passphrase, let status = try? AgentClient.status(),
      status.vaults.contains(where: { $0.vault == local.folder.path }),
      let opened = try? PassphraseKeys.open(in: local, passphrase: source)
    else { return }
    for (author, keys) in opened {
      try? AgentClient.keep(AgentDeposit(folder: local.folder.path, author: author, secret: keys.secret))
    }
  }

  /// Whether the agent listens, or systemd for it. Another program that does is no agent: one that starts takes its
  /// place, unless that program also holds the agent's lock.
  private static var isListening: Bool {
    guard let connection = AgentConnection.open() else { return false }
    return ["coffer-agent", "systemd"].contains(ProcessLineage.member(connection.process)?.name)
  }
}
