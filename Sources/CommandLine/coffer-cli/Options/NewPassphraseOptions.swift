internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferCrypto
internal import CofferFormat
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

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
    if claims.despiteClaims { throw ValidationError("--despite-claims requires --forgotten") }
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
    try SyncProgram.withMembershipChange(local) { (_) throws(VaultError) in
      let joined = try enrolment.join(
        deviceName: name ?? before, protection: protection, despiteClaims: claims.despiteClaims)
      credentials = joined.credentials
      return joined.position
    } install: { () throws(VaultError) in
      try enrolment.replaceKeys(credentials, protection: protection)
      // It is sealed to the keys that were replaced, and its owner has just given it.
      try KeptVaultKey.forget(in: local)
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
        of: .machines([try local.memberMachine(named: former.id)]), from: local, despiteClaims: claims.despiteClaims)
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
