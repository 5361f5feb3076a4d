internal import Coffer
internal import CofferAdministration
internal import CofferAgent
internal import CofferPlatform
internal import CofferSystem
internal import CofferTrust
internal import CofferVault

/// The agent of this user, and what somebody could put in its place.
struct AgentCheck: DoctorCheck {
  static let name = "agent"

  func findings(in scene: DoctorScene) -> [Finding] {
    let folder = AgentFolder.standard
    guard !isAbsent(folder.path) else { return [] }
    guard folder.isPrivate else {
      return .problem(
        .agentFolder, subject: folder.path,
        message: "The folder of the agent is not one that only this user can open, so no command uses the agent.",
        fix: "Find out who made it with `ls -ld \(folder.path)`, and remove it with: rm -r \(folder.path.shellWord)")
    }
    do throws(VaultError) {
      let status = try AgentClient.status()
      guard let process = status.process, !status.locksWithScreen,
        status.vaults.contains(where: { $0.vault == scene.local.folder.path })
      else { return [] }
      return .advice(
        .agentIgnoresScreen, subject: "the agent (process \(process))",
        message: "Neither sleep nor the screen's lock locks it, because systemd's logind is not there.",
        fix: "Have the screen locker run: coffer lock")
    } catch {
      return .problem(
        .agentSilent, subject: folder.socketPath, message: error.message.asSentence,
        fix: error.recoverySuggestion?.asSentence ?? "Run: coffer lock")
    }
  }
}

/// Installed bridges that other programs do not find, or that run a program that is gone.
struct BridgeCheck: DoctorCheck {
  static let name = "bridges"

  func findings(in scene: DoctorScene) -> [Finding] {
    Bridges.all.flatMap { bridge in
      do throws(VaultError) {
        return try findings(of: bridge)
      } catch {
        // Without the file, nobody knows whether the bridge is installed.
        let isInstalled = (try? bridge.installedCommand()) != nil
        return [
          Finding(
            .bridgeFile, isInstalled ? .problem : .advice, subject: "coffer bridge \(bridge.name)",
            message: error.message.asSentence,
            fix: error.recoverySuggestion?.asSentence ?? "Run: \(bridge.installCommand)")
        ]
      }
    }
  }

  private func findings(of bridge: any Bridge.Type) throws(VaultError) -> [Finding] {
    let settings = try bridge.anySettings()
    var found: [Finding] = []
    var missing: [Finding] = []
    for setting in settings {
      found += try setting.findings()
      guard try setting.present().isEmpty else { continue }
      missing += .problem(
        .bridgePart, subject: "coffer bridge \(bridge.name)",
        message: "A part of the bridge is missing: \(setting.place).", fix: fix(of: setting, bridge))
    }
    if missing.count < settings.count { found += missing }
    return try found + bridge.findings()
  }

  /// How a part is put back. What is in its place goes first, as an installation would say.
  private func fix(of part: any BridgeSetting, _ bridge: any Bridge.Type) -> String {
    do throws(VaultError) {
      try part.checkIsFree()
      // Without the program, nothing says which options it had.
      let options = (try? bridge.installedCommand()) == nil ? ", with the --app and --group that it had," : ","
      return "Run `\(bridge.installCommand)` again\(options) or `coffer bridge remove \(bridge.name)`."
    } catch {
      let reason = error.message.replacing("; nothing was changed", with: "").asSentence
      let first = error.recoverySuggestion?.replacing(", then try again", with: "").asSentence ?? ""
      return "\(reason) \(first) Then run: \(bridge.installCommand)"
    }
  }
}

/// Settings of the kernel that undo the protection of Coffer's programs, or keep the agent from showing a dialog.
struct KernelCheck: DoctorCheck {
  static let name = "kernel"

  func findings(in scene: DoctorScene) -> [Finding] { Self.dumpableFindings + Self.memoryFindings }

  /// proc(5): with 1, the kernel protects no process because of its program's mode or group. With 2, it protects them
  /// as with 0, and gives their cores to root.
  private static var dumpableFindings: [Finding] {
    guard value(of: "fs.suid_dumpable") == 1 else { return [] }
    return .problem(
      .dumpablePrograms, subject: "fs.suid_dumpable",
      message: """
        It is 1: while Coffer's programs and dialogs start, and while a dialog is open, every program of this user can attach \
        to them and read what is typed, although nobody may read their files.
        """,
      fix: "\(files) Set it with: sudo sysctl -w fs.suid_dumpable=0")
  }

  /// With 2, no file in memory can be started, and a dialog is the copy of a program in such a file.
  private static var memoryFindings: [Finding] {
    guard value(of: "vm.memfd_noexec") == 2 else { return [] }
    return .problem(
      .noDialogCopies, subject: "vm.memfd_noexec",
      message: """
        It is 2: the agent and the Secret Service cannot start the copy of a program that shows a dialog, so nobody can allow \
        what they have to ask for.
        """,
      fix: "\(files) Set it with: sudo sysctl -w vm.memfd_noexec=1")
  }

  private static let files = "Remove it from the files in /etc/sysctl.d, which set it when the system starts."

  /// Nil if the system has no such setting.
  private static func value(of setting: String) -> Int? {
    let path = "/proc/sys/\(setting.replacing(".", with: "/"))"
    let text = FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    return text.flatMap { Int($0.prefix(while: \.isNumber)) }
  }
}

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
    guard let installation = try? SecretServiceInstallation.find(needsProgram: false), installation.isService else {
      return []
    }
    guard installation.hasProgram else {
      let name = SecretServiceProgram.name
      return .problem(
        .secretServiceFiles, subject: "the Secret Service",
        message: "Coffer is installed as it, but the program \(name) is missing: the bus can start none.",
        fix: "Install the package \(name), or remove the files with: coffer secret-service remove")
    }
    var findings: [Finding] = []
    if !installation.isCurrent {
      findings += .problem(
        .secretServiceFiles, subject: "the Secret Service",
        message: "A file of its installation is missing, or names another program or vault than this one.",
        fix: "Write them again with: coffer secret-service install"
      ) { () throws(VaultError) in
        let asks = installation.asksNow
        return try !SecretServiceInstallation.find(asks: asks).install().isEmpty
      }
    }
    if let process = try SecretServiceProgram.report().process(owning: SecretServiceReport.secretsName) {
      let owner = SecretServiceOwner(process: process)
      guard !owner.isCoffer else { return findings }
      findings += .problem(
        .secretServiceOther, subject: "the Secret Service",
        message: "Coffer is installed as it, but \(owner.words) answers: programs keep their passwords there.",
        fix: "Import them and end it with: \(owner.replacingCommands.joined(separator: "; "))")
    } else if installation.isCurrent, SecretServiceInstallation.activatesCoffer == false {
      findings += .problem(
        .secretServiceActivation, subject: "the Secret Service",
        message: "Coffer is installed as it, but the bus would start another program.",
        fix: "Remove its file with: rm \(SecretServiceInstallation.activation?.path.shellWord ?? "")")
    }
    return findings
  }
}
