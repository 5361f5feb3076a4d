internal import CofferAdministration
internal import CofferSystem
internal import CofferTrust
internal import CofferVault

/// The programs that root has installed: replaced ones, those that others can change, and members of their groups.
struct InstallationCheck: DoctorCheck {
  static let name = "installations"

  func findings(in scene: DoctorScene) -> [Finding] {
    InstalledApp.all.compactMap { app in
      app.problem.map { problem in
        Finding(
          .installation, .problem, subject: app.bundleID.description, message: "\(problem.message.asSentence)",
          fix: problem.recoverySuggestion?.asSentence ?? "Run: sudo coffer app reinstall \(app.bundleID)")
      }
    }
  }
}
