internal import CofferAdministration
internal import CofferVault

/// The service that syncs the vault by itself.
struct ServiceCheck: DoctorCheck {
  static let name = "service"

  func findings(in scene: DoctorScene) throws(VaultError) -> [Finding] {
    guard scene.local.keysInMemory == nil, try scene.local.remote() != nil else { return [] }
    let service = try SyncService.find()
    let state = service.state()
    guard state.isInstalled, !state.isActive else { return [] }
    return [
      Finding(
        .service, .problem, subject: state.files.last ?? "coffer-sync",
        message: "It is installed, but does not run: nothing syncs this vault by itself.",
        fix: "Find out why with `journalctl --user --unit coffer-sync`, and start it again with: coffer service install"
      )
    ]
  }
}
