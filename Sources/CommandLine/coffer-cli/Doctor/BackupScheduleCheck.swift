internal import CofferAdministration
internal import CofferInspection
internal import CofferPlatform
internal import CofferTerminal
internal import CofferVault

/// The backups that a timer makes.
struct BackupScheduleCheck: DoctorCheck {
  static let name = "backups"

  func findings(in scene: DoctorScene) throws(VaultError) -> [Finding] {
    guard scene.local.keysInMemory == nil else { return [] }
    let service = try BackupService.find()
    let state = service.state()
    guard let file = state.files.last else { return [] }
    let subject = state.folder ?? file
    func problem(_ kind: Finding.Kind, _ message: String, _ fix: String) -> [Finding] {
      [Finding(kind, .problem, subject: subject, message: message, fix: fix)]
    }
    // A backup that somebody makes by hand says nothing of the timer.
    let start = "systemctl --user start \(state.unit).service"
    let health = service.health
    if let error = health.lastBackupError?.error {
      return problem(
        .backupFailed, "The last scheduled backup failed: \(error.message).",
        (error.recoverySuggestion.map { "Next: \($0). " } ?? "") + "Then make it with: \(start)")
    }
    if !state.isActive {
      return problem(
        .backupTimer, "Backups are scheduled, but the timer does not run.",
        "Start it again with: systemctl --user enable --now \(state.unit).timer")
    }
    guard let frequency = state.frequency, let last = [health.lastBackup, state.installed].compactMap(\.self).max(),
      scene.overview.status.time.timeIntervalSince(last) > frequency.toleratedAge
    else { return [] }
    let made = health.lastBackup.flatMap { $0 == last ? $0 : nil }.map {
      "The last scheduled backup is of \(Output.date($0))"
    }
    return problem(
      .backupLate,
      "\(made ?? "No scheduled backup was made since \(Output.date(last))"), although one is due every \(frequency.rawValue).",
      "Find out why with `journalctl --user --unit \(state.unit)`, and make one with: \(start)")
  }
}
