internal import Coffer
internal import CofferAdministration
internal import CofferTrust
internal import CofferVault

/// What keeps other programs of the user from each app's keys on this machine.
struct EnforcementCheck: DoctorCheck {
  static let name = "apps"

  func findings(in scene: DoctorScene) throws(VaultError) -> [Finding] {
    var findings: [Finding] = []
    if scene.facts.ownerKeys == .open {
      findings.append(
        Finding(
          severity: .advice, subject: "the owner's keys",
          message: "They have no passphrase here: every program of this user can read all groups.",
          fix: "Set one with: coffer passphrase set"))
    }
    for app in scene.facts.sortedApps {
      let evidence = scene.facts.evidence(of: app)
      guard evidence.protection != .absent else { continue }
      let isForbidden = evidence.protection != .installed && !scene.facts.settled.allowsFile(for: app)
      let isProblem = evidence.protection == .unusable || isForbidden
      guard isProblem || evidence.enforcement != .install, let advice = evidence.advice else { continue }
      findings.append(
        Finding(
          severity: isProblem ? .problem : .advice, subject: app.id.description, message: evidence.sentence, fix: advice
        ))
    }
    return findings
  }
}
