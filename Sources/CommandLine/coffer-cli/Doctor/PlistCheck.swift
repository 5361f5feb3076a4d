internal import Coffer
internal import CofferAdministration
internal import CofferSystem
internal import CofferTrust
internal import CofferVault

/// Misspelt keys in the plists of apps, which Coffer does not read: an app that has opened its vault before goes on
/// without the groups that they list.
struct PlistCheck: DoctorCheck {
  static let name = "plists"

  func findings(in scene: DoctorScene) throws(VaultError) -> [Finding] {
    scene.facts.sortedApps.flatMap { app in
      PlistSpelling.problems(of: app).map { problem in
        Finding(
          .misspeltKey, .problem, subject: app.id.description, message: problem.message.asSentence,
          fix:
            "Correct the plist (\(problem.recoverySuggestion ?? "")), and register it again with: coffer app add FILE.entitlements"
        )
      }
    }
  }
}
