internal import Coffer
internal import CofferAdministration
internal import CofferAgent
internal import CofferSystem
internal import CofferTrust
internal import CofferVault

/// The Secret Service of the desktop, if Coffer is installed as it, and the groups by which it tells programs apart.
struct SecretServiceCheck: DoctorCheck {
  static let name = "secret-service"

  func findings(in scene: DoctorScene) throws(VaultError) -> [Finding] {
    try groupFindings(in: scene) + installationFindings()
  }

  /// Apps for setgid programs whose group proves nothing here.
  private func groupFindings(in scene: DoctorScene) -> [Finding] {
    scene.facts.sortedApps.compactMap { app in
      guard case .group(let name) = DesktopProgram(app.id.bundleID), let group = SystemGroup.identifier(of: name),
        let weakness = SystemGroup.weakness(of: group)
      else { return nil }
      return Finding(
        .desktopGroup, .problem, subject: app.id.description,
        message: "The group \(name) tells no program from others: \(weakness). Its programs get the common collection.",
        fix:
          "Take the users out of it with `sudo gpasswd --delete USER \(name.shellWord)`, or run: coffer app remove \(app.id.bundleID)"
      )
    }
  }

  private func installationFindings() throws(VaultError) -> [Finding] {
    // Without the program there is nothing to examine, unless its files are still here.
    guard let installation = try? SecretServiceInstallation.find(), !installation.installed.isEmpty else { return [] }
    var findings: [Finding] = []
    if !installation.isCurrent {
      findings.append(
        Finding(
          .secretServiceFiles, .problem, subject: "the Secret Service",
          message: "A file of its installation is missing, or names another program or vault than this one.",
          fix: "Write them again with: coffer secret-service install"
        ) { () throws(VaultError) in
          let asks = installation.asksNow
          return try !SecretServiceInstallation.find(asks: asks).install().isEmpty
        })
    }
    if let process = try SecretServiceProgram.report().process(owning: SecretServiceReport.secretsName) {
      let owner = SecretServiceOwner(process: process)
      guard !owner.isCoffer else { return findings }
      findings.append(
        Finding(
          .secretServiceOther, .problem, subject: "the Secret Service",
          message: "Coffer is installed as it, but \(owner.words) answers: programs keep their passwords there.",
          fix: "Import them and end it with: \(owner.replacingCommands.joined(separator: "; "))"))
    } else if installation.isCurrent, SecretServiceInstallation.activatesCoffer == false {
      findings.append(
        Finding(
          .secretServiceActivation, .problem, subject: "the Secret Service",
          message: "Coffer is installed as it, but the bus would start another program.",
          fix: "Remove its file with: rm \(SecretServiceInstallation.activation?.path.shellWord ?? "")"))
    }
    return findings
  }
}
