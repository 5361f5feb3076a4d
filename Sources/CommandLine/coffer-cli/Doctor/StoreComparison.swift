internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

/// Compares the store with the signed objects: every signature is verified, and every row that differs counts.
struct StoreComparison: DoctorCheck {
  static let name = "store"

  func findings(in scene: DoctorScene) throws(VaultError) -> [Finding] {
    // A store without its remote is not repaired but built from there, as another finding says.
    guard scene.local.keysInMemory == nil, try scene.local.lostRemote() == nil else { return [] }
    let meter = CountMeter("checking", "objects")
    defer { meter.finish() }
    let check = try VaultCheck.open(scene.local.folder, progress: meter.show(_:of:))
    let report = try check.run()
    guard !report.isEmpty else { return [] }
    return [
      Finding(
        .store, .problem, subject: scene.local.folder.storePath.sanitizedForTerminal(limit: 4096),
        message: "\(counted(report.total, "row")) \(report.total == 1 ? "differs" : "differ") from the signed objects.",
        fix: "Restore it from them with: coffer check --repair"
      ) { () throws(VaultError) in
        let repaired = try check.repair()
        return repaired.lostCount == 0 && !repaired.needsRemote
      }
    ]
  }
}
