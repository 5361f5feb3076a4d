internal import ArgumentParser
internal import Coffer
internal import CofferVault
internal import Foundation

struct CloneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clone", abstract: "Copy a vault to this machine, with its vault key.",
    discussion: "This machine becomes an admin, and every registered app gets a credential here.")
  @Argument(help: "The repository's URL or path.")
  var url: String
  @OptionGroup var machine: MachineNameOptions
  @Option(
    help: ArgumentHelp("Read the vault key from a file instead of asking for it.", valueName: "file"),
    completion: .file())
  var vaultKeyFile: String?
  @OptionGroup var protection: ProtectionOptions
  @OptionGroup var claims: ClaimOptions

  func run() throws {
    let location = try VaultLocation.standard()
    let staging = try StagingFolder.create(for: location)
    let key = try VaultKeyFile.read(vaultKeyFile)
    let protection = try protection.protection()
    try SyncProgram.run(["download", "--into", staging.folder.path, "--", url])
    let enrolment = try Enrolment.begin(in: staging.folder, vaultKey: key)
    try enrolment.writeAdminKeys(protection)
    var credentials: [PendingCredential] = []
    try SyncProgram.pushUntilAccepted(staging.folder) { () throws(VaultError) in
      let joined = try enrolment.join(
        deviceName: machine.chosen, protection: protection, despiteClaims: claims.despiteClaims)
      credentials = joined.credentials
      return joined.position
    }
    for credential in credentials { try credential.install(in: enrolment.vault) }
    try staging.moveIntoPlace()
    let status = try VaultStatus.read(from: LocalVault.open(VaultFolder(location)))
    let count = status.applications.count
    try Output.line(
      """
      The vault of team \(status.team) is at \(status.path), with \(count == 1 ? "1 app" : "\(count) apps") ready.
      Membership log: \(status.logLength) entries, last \(Output.date(status.logTime)).
      Head phrase: \(status.headPhrase) — compare it with `coffer status` on another machine after its next sync.
      A difference is the only sign that the repository was set back to an older state.
      """)
  }
}
