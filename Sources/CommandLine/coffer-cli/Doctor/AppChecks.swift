internal import Coffer
internal import CofferAdministration
internal import CofferSystem
internal import CofferTrust
internal import CofferVault

/// What keeps other programs of the user from each app's keys on this machine.
struct EnforcementCheck: DoctorCheck {
  static let name = "apps"

  func findings(in scene: DoctorScene) throws(VaultError) -> [Finding] {
    var findings: [Finding] = []
    if scene.facts.ownerKeys == .open {
      findings += .advice(
        .ownerKeysOpen, subject: "the owner's keys",
        message: "They have no passphrase here: every program of this user can read all groups.",
        fix: "Set one with: coffer passphrase set")
    }
    for app in scene.facts.sortedApps {
      let evidence = scene.facts.evidence(of: app)
      let allowsFile = scene.facts.published.allowsFile(for: app)
      if !allowsFile, evidence.protection == .absent, let machine = machineOfLostFile(of: app, in: scene) {
        findings += .problem(
          .lostCredentialFile, subject: app.id.description,
          message: "It had a credential file here, and whoever has a copy can open groups that forbid such files.",
          fix: "Revoke its keys, on an admin's machine, with: \(KeysInFiles(of: app.id, on: machine).revocation)")
      }
      guard evidence.protection != .absent else { continue }
      let isForbidden = evidence.protection != .installed && !allowsFile
      let isUnprotected =
        scene.facts.ownerKeys == .passphrase && evidence.protection == .open && OwnApps.contains(app.id)
      let isProblem = evidence.protection == .unusable || isForbidden || isUnprotected
      guard isProblem || evidence.enforcement != .install else { continue }
      // A passphrase seals a file, and the group forbids it all the same.
      let advice = isForbidden ? forbiddenFileAdvice(of: app, in: scene) : evidence.advice
      guard let advice, let kind = isForbidden ? .forbiddenCredential : kind(of: evidence, app) else { continue }
      findings.append(
        Finding(
          kind, isProblem ? .problem : .advice, subject: app.id.description, message: evidence.sentence, fix: advice))
    }
    return findings
  }

  private func kind(of evidence: AppEvidence, _ app: App) -> Finding.Kind? {
    switch evidence.protection {
    case .unusable: .unusableCredential
    case .installed: .openOwnerOfInstalled
    case .open: OwnApps.contains(app.id) ? .openOwnCredential : .openCredential
    case .absent, .passphrase: nil
    }
  }

  /// What to do about a credential file that a group of the app forbids.
  private func forbiddenFileAdvice(of app: App, in scene: DoctorScene) -> String {
    guard OwnApps.contains(app.id), let group = scene.facts.published.requirement(of: app.entitlements)?.group else {
      let first =
        scene.facts.ownerKeys == .open ? "Set a passphrase with `coffer passphrase set`, then install" : "Install"
      return "\(first) the app's program with: sudo coffer app install \(app.id.bundleID) --setgid PROGRAM"
    }
    return "It has no program to install. Let the group require less with: coffer group require \(group) lease"
  }

  /// Returns what commands name this machine by if an app has rights here, and neither a file nor an installed
  /// credential any more.
  private func machineOfLostFile(of app: App, in scene: DoctorScene) -> String? {
    let here = scene.local.machine(in: scene.facts.published)
    let isHere = scene.local.principalsInFiles(of: app.id, in: scene.facts.published).contains { $0.device == here?.id }
    return isHere ? here.map { scene.facts.published.commandName(of: $0.id) } : nil
  }
}

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
