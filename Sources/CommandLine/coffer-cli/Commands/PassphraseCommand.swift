internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferCrypto
internal import CofferFormat
internal import CofferSystem
internal import CofferTerminal
internal import CofferTrust
internal import CofferVault

struct PassphraseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "passphrase", abstract: "Set or change this machine's passphrase.",
    discussion: """
      The passphrase protects the keys of this machine's owner, and the credentials of apps that were registered with \
      --locked. Each machine has its own.
      """,
    subcommands: [PassphraseChangeCommand.self, PassphraseSetCommand.self])
}

struct PassphraseChangeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "change", abstract: "Change this machine's passphrase.",
    discussion: """
      Programs that have the vault open continue. Keys of the owner's own groups that an earlier version of Coffer has left in open \
      files are sealed, too: the same passphrase can be given again for that. The keys under the passphrase stay the same: whoever has an older copy \
      of the vault's folder and knows the old passphrase can still use them.
      """)
  @OptionGroup var passphrase: PassphraseOptions
  @OptionGroup var new: NewPassphraseOptions

  func run() throws {
    let local = try LocalVault.open(VaultFolder(.standard()))
    if new.forgotten { return try new.enrolAnew(local) }
    guard try local.hasPassphrase else {
      throw VaultError(
        .invalidArgument, "this machine has no passphrase", recoverySuggestion: "set one with: coffer passphrase set")
    }
    let given = try new.readFile()
    let change = try PassphraseChange.begin(local, current: passphrase.source(of: local))
    let sealed = try change.finish(given ?? new.read())
    try Output.line("The passphrase is changed.\(PassphraseSetCommand.words(for: sealed))")
  }
}

struct PassphraseSetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Protect the keys of a machine that has no passphrase.",
    discussion: """
      For a machine whose vault was created or cloned with --no-passphrase. It then protects the owner's keys, and the keys of the \
      owner's own groups: what `coffer set` stores without a group, and what programs of the desktop store. `coffer unlock` \
      asks once for all commands. The keys of other apps stay as they are: see `coffer app add --locked`.

      All keys stay the same: whoever has an older copy of the vault's folder, such as a backup, needs no passphrase to use them.
      """)
  @OptionGroup var new: NewPassphraseOptions

  func run() throws {
    let local = try LocalVault.open(VaultFolder(.standard()))
    if new.forgotten { return try new.enrolAnew(local) }
    guard try !local.hasPassphrase else {
      throw VaultError(
        .invalidArgument, "this machine has a passphrase",
        recoverySuggestion: "change it with: coffer passphrase change; if it is forgotten, add --forgotten")
    }
    let sealed = try PassphraseChange.begin(local, current: .unavailable).finish(try new.read())
    try Output.line("The passphrase is set.\(Self.words(for: sealed))")
  }

  /// A sentence about the apps whose keys a new passphrase protects; empty for none.
  static func words(for sealed: [ApplicationID]) -> String {
    sealed.isEmpty
      ? "" : " It protects the keys of \(sealed.map(\.bundleID.description).sorted().joined(separator: ", ")), too."
  }
}

/// The new passphrase of a machine, and how to begin without the old one.
struct NewPassphraseOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Read the new passphrase from a file.", discussion: "Default: a prompt on the terminal.", valueName: "file"),
    completion: .file())
  var newPassphraseFile: String?
  @Flag(
    help: ArgumentHelp(
      "Start from the vault key, because the passphrase is forgotten.",
      discussion: """
        This machine is then enrolled anew, under another name and with new keys. Its items and settings stay. Apps that \
        run continue, and use the new keys when they are started again.
        """))
  var forgotten = false
  @Option(
    help: ArgumentHelp(
      "With --forgotten: read the vault key from a file instead of asking for it.", valueName: "file"),
    completion: .file())
  var vaultKeyFile: String?
  @Option(
    help: ArgumentHelp(
      "With --forgotten: the new name of this machine in lists. Default: its name with a number.", valueName: "name"))
  var name: String?
  @OptionGroup var claims: ClaimOptions

  func validate() throws {
    guard !forgotten else { return }
    if vaultKeyFile != nil { throw ValidationError("--vault-key-file requires --forgotten") }
    if name != nil { throw ValidationError("--name requires --forgotten") }
    if claims.allowsLogFork { throw ValidationError("--despite-claims requires --forgotten") }
  }

  /// Reads the new passphrase if a file contains it, before anybody is asked for anything; nil otherwise.
  func readFile() throws(VaultError) -> SecretText? { newPassphraseFile == nil ? nil : try read() }

  /// Reads the new passphrase, from a file or typed twice at a prompt.
  func read() throws(VaultError) -> SecretText {
    try NewPassphrase.read(
      newPassphraseFile, ifEmpty: "choose a passphrase; nothing was changed", otherwise: "give --new-passphrase-file")
  }

  /// Enrols this machine anew, with the vault key, and protects its new keys by the new passphrase.
  func enrolAnew(_ local: LocalVault) throws {
    // What can be checked is checked before anybody is asked.
    if let name { try VaultCreation.checkDeviceName(name) }
    let given = try readFile()
    func begin(_ key: VaultKey) throws(VaultError) -> (Enrolment, VaultKey) {
      (try Enrolment.renew(local, vaultKey: key), key)
    }
    let (enrolment, key) =
      if let vaultKeyFile { try begin(VaultKeyFile.read(vaultKeyFile)) } else { try VaultKeyFile.ask(begin) }
    let protection = AdminProtection.passphrase(try given ?? read())
    let before = try VaultStatus.read(from: local).machines.first(where: \.isThisMachine)?.name ?? "machine"
    var credentials: [PendingCredential] = []
    try SyncProgram.publication.change(local) { (_) throws(VaultError) in
      let joined = try enrolment.join(
        deviceName: name ?? before, protection: protection, allowingLogFork: claims.allowsLogFork)
      credentials = joined.credentials
      return joined.position
    } install: { () throws(VaultError) in
      // Before the keys to which it is sealed are replaced: if this program is killed between, nothing opens it any
      // more, and it stays. Its owner has just given it.
      try KeptVaultKey.forget(in: local)
      try enrolment.replaceKeys(credentials, protection: protection)
    }
    let status = try VaultStatus.read(from: LocalVault.open(local.folder))
    let now = status.machines.first(where: \.isThisMachine)?.name ?? "machine"
    try Output.line(
      """
      The passphrase is set. This machine, \(Output.cell(before)) until now, is \(Output.cell(now)), with new keys.
      Lists keep the name \(Output.cell(before)) for what it has written.
      """)
    // Its keys are in older copies of the vault's folder, under the passphrase that is forgotten.
    if let former = status.machines.first(where: { $0.name == before && !$0.isThisMachine }) {
      try takeOut(former, from: LocalVault.open(local.folder), with: key)
    }
  }

  /// Offers to remove the former identity of this machine, with the vault key that was given for the new one. If nobody
  /// can be asked, or the answer is no, names the command that does it.
  private func takeOut(_ former: VaultMachine, from local: LocalVault, with key: VaultKey) throws {
    let name = Output.cell(former.name)
    let state = "\(name) is still \(former.isAdmin ? "an admin" : "a machine") of the vault."
    if Terminal.isInput {
      let removal = Removal(
        of: .machines([try local.memberMachine(named: former.id)]), from: local, allowingLogFork: claims.allowsLogFork)
      let preview = try removal.preview()
      Terminal.printNote(state)
      for line in preview.lines { Terminal.printNote(line) }
      Terminal.printNote(
        "Apps that run here use its keys until they are started again: what they write after this is refused.")
      if try Terminal.askYes("Revoke the former identity \(name) now?") {
        let done = try removal.publish(in: local, as: .root(key), accepting: preview)
        try Output.line("\(name) is removed from the vault.")
        return done.printAdvice()
      }
    }
    Terminal.printNote(
      "\(state) When the apps here were started again, remove it with: "
        + NextCommand.line("device revoke", [former.name]))
  }
}

/// Reads a passphrase that is to be set.
enum NewPassphrase {
  /// Reads the passphrase from a file or, without one, twice from a prompt, and warns of a short one. `ifEmpty` is the
  /// recovery suggestion for an empty passphrase, and `otherwise` how to give the passphrase if no terminal exists.
  /// Throws `invalidArgument` for an empty or overlong passphrase, and for two different ones, and `locked` if no
  /// terminal exists or the user cancels.
  static func read(_ path: String?, ifEmpty: String, otherwise: String) throws(VaultError) -> SecretText {
    let passphrase =
      if let path {
        try SecretInput.file(path, limit: maximumByteCount, what: "passphrase")
      } else {
        try ask("New passphrase for this machine", ifEmpty: ifEmpty, otherwise: otherwise)
      }
    guard passphrase.count <= maximumByteCount else {
      throw VaultError(
        .invalidArgument, "the passphrase has more than \(maximumByteCount) bytes",
        recoverySuggestion: "choose another one")
    }
    if passphrase.count < shortByteCount {
      Terminal.printNote(
        "This passphrase is short: whoever copies this machine's files can find it by trying. "
          + "To choose a longer one: coffer passphrase change")
    }
    return passphrase
  }

  private static let maximumByteCount = 1024
  /// A passphrase with fewer bytes is short.
  private static let shortByteCount = 8

  /// Asks for a new passphrase twice.
  static func ask(_ prompt: String, ifEmpty: String, otherwise: String) throws(VaultError) -> SecretText {
    try Terminal.askTwice(
      prompt, for: "a passphrase", otherwise: otherwise,
      ifDifferent: "the two passphrases differ; nothing was changed"
    ) { (first) throws(VaultError) in
      guard !first.isEmpty else {
        throw VaultError(.invalidArgument, "the passphrase is empty", recoverySuggestion: ifEmpty)
      }
    }
  }
}
