internal import ArgumentParser
internal import CofferAgent
internal import CofferTerminal
internal import CofferVault

struct SecretServiceInstallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "install", abstract: "Let the desktop's programs of this user keep their passwords in the vault.",
    discussion: """
      The session bus then starts `coffer-secret-service` when a program needs it. If another Secret Service runs, nothing is \
      changed, and the command says how to import from it and how to end it:

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
    guard !json else { return try Output.json(object: ["files": files]) }
    for file in files { try Output.line("Wrote \(Output.cell(file))") }
    if !report.hasBus { Terminal.printNote("there is no session bus here; the next one starts the program") }
    Terminal.printNote("to see who answers: coffer secret-service status")
  }

  /// The error of a name that another program has: two that fight for it would lose passwords between them.
  private static func ownedError(_ owner: SecretServiceOwner) -> VaultError {
    VaultError(
      .busy, "the Secret Service of this desktop is \(owner.words); nothing was changed",
      recoverySuggestion: "import what it keeps and end it first:\n"
        + owner.replacingCommands.map { "    \($0)" }.joined(separator: "\n"))
  }
}
