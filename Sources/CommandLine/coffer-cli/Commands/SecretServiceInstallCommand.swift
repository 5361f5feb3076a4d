internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct SecretServiceInstallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "install", abstract: "Let the desktop's programs of this user keep their passwords in the vault.",
    discussion: """
      The session bus then starts `coffer-secret-service` when a program needs it. If another Secret Service runs, nothing is \
      changed, and the command says how to import from it and how to end it.

      What an earlier version has imported to your own group moves to that of the desktop's programs. At the end, the \
      command looks for one item of the vault through the new service, as programs do.

      coffer import secret-service
      coffer secret-service install
      coffer secret-service status
      """)
  @Flag(
    help: ArgumentHelp(
      "Ask a person when a program uses the Secret Service for the first time, and again after an hour.",
      discussion: "Between programs of one user this proves nothing; a sandboxed program is asked for in any case."))
  var ask = false
  @Flag(help: "Print the files, and install nothing.")
  var print = false
  @Flag(help: "Print JSON.")
  var json = false
  @OptionGroup var passphrase: PassphraseOptions

  func validate() throws {
    if print, json { throw ValidationError("--print prints the files, which are no JSON") }
  }

  func run() throws {
    let installation = try SecretServiceInstallation.find(asks: ask)
    if print {
      for file in installation.shown {
        try Output.line("# \(file.name)")
        try Output.line(file.text)
      }
      return
    }
    let report = try SecretServiceProgram.report()
    if let process = report.process(owning: SecretServiceReport.secretsName) {
      let owner = SecretServiceOwner(process: process)
      guard owner.isCoffer else { throw Self.ownedError(owner) }
    }
    let files = try installation.install()
    if !json { for file in files { try Output.line("Wrote \(Output.cell(file))") } }
    if !report.hasBus { Terminal.printNote("there is no session bus here; the next one starts the program") }
    let earlier = try moveEarlierImport()
    let trial = report.hasBus && !ask ? try SecretServiceTrial.run() : nil
    if json {
      return try Output.json(object: [
        "files": files, "movedCount": earlier.movedCount, "remaining": earlier.remaining,
        "lookUp": trial?.result.rawValue,
      ])
    }
    if earlier.movedCount > 0 {
      try Output.line(
        "Moved \(counted(earlier.movedCount, "item")) that \(earlier.movedCount == 1 ? "was" : "were") imported before to \(OwnApp.desktop.bundleIdentifier)"
      )
    }
    for name in earlier.remaining {
      Terminal.printNote(
        "\(name.sanitizedForTerminal()) stays in \(OwnApp.personal.bundleIdentifier): the desktop's programs have another item with these names"
      )
    }
    try trial?.show()
    Terminal.printNote("to see who answers: coffer secret-service status")
  }

  /// Moves what an earlier version has imported. If that needs a passphrase that nobody can give now, it is said how to
  /// do it later.
  private func moveEarlierImport() throws -> EarlierImport.Outcome {
    let folder = try VaultFolder(.standard())
    guard folder.exists else { return EarlierImport.Outcome() }
    var actor = ActorOptions.acting(as: "")
    actor.passphrase = passphrase
    guard actor.isOwner else { return EarlierImport.Outcome() }
    do throws(VaultError) {
      do {
        return try EarlierImport(actor: actor).move(in: LocalVault.open(folder))
      } catch {
        throw VaultError(translating: error)
      }
    } catch {
      guard error.code == .locked else { throw error }
      Terminal.printNote(
        "what was imported before to \(OwnApp.personal.bundleIdentifier) is not moved while that is locked; run this again after: coffer unlock"
      )
      return EarlierImport.Outcome()
    }
  }

  /// The error of a name that another program has: two that fight for it would lose passwords between them.
  private static func ownedError(_ owner: SecretServiceOwner) -> VaultError {
    VaultError(
      .busy, "the Secret Service of this desktop is \(owner.words); nothing was changed",
      recoverySuggestion: "import what it keeps and end it first:\n"
        + owner.replacingCommands.map { "    \($0)" }.joined(separator: "\n"))
  }
}
