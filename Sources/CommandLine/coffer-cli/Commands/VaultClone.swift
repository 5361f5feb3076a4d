internal import Coffer
internal import CofferAdministration
internal import CofferPlatform
internal import CofferTerminal
internal import CofferVault

/// The second half of a clone: enrols this machine in a vault that was downloaded, and puts the vault into its place.
struct VaultClone {
  /// The vault that is in its place.
  struct Outcome {
    let status: VaultStatus
    /// The number of apps with a credential.
    let appCount: Int
  }

  let location: VaultLocation
  let machine: MachineNameOptions
  let protection: ProtectionOptions
  let despiteClaims: Bool
  /// Further arguments of the syncs.
  let arguments: [String]

  /// Enrols this machine. `known` is the protection of its keys, unless somebody has to be asked for it. `complete` is called
  /// before the vault takes its place, when it is ready and everything is pushed.
  func run(
    _ enrolment: Enrolment, in staging: StagingFolder, _ known: AdminProtection?, complete: () throws -> Void = {}
  ) throws -> Outcome {
    let protection = try known ?? protection.protection()
    try enrolment.writeOwnerKeys(protection)
    // Only the log, which is verified now, tells which files are record lists of revocations.
    if try enrolment.lacksRecordLists { try SyncProgram.sync(staging.folder, arguments: arguments) }
    var credentials: [PendingCredential] = []
    try SyncProgram.pushUntilAccepted(staging.folder, arguments: arguments) { (_) throws(VaultError) in
      let joined = try enrolment.join(
        deviceName: machine.chosen, protection: protection, despiteClaims: despiteClaims)
      credentials = joined.credentials
      return joined.position
    }
    for credential in credentials { try credential.install(in: enrolment.vault) }
    try complete()
    try staging.moveIntoPlace()
    return Outcome(
      status: try VaultStatus.read(from: LocalVault.open(VaultFolder(location))), appCount: credentials.count)
  }
}
