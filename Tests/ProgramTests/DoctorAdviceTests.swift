#if os(Linux)
  import CofferTestSupport
  import Foundation
  import Testing

  @testable import CofferProgram

  /// What `coffer doctor` advises is carried out, and ends what it has found. What the overview of the inspector shows
  /// too is in `AttentionAdviceTests`, and the Secret Service in `SecretServiceAdviceTests`.
  @Suite struct DoctorAdviceTests {
    private static let pro = "com.example.photo.pro"
    private static let purchases = "com.example.photo.purchases"

    @Test(arguments: Finding.Kind.allCases.filter { !$0.needsRoot && $0.exception == nil })
    func `The advice of each kind of finding can be carried out, and ends it`(_ kind: Finding.Kind) throws {
      let scene = try #require(try Self.scene(of: kind))
      try scene.carryOut(kind.rawValue)
    }

    @Test(
      .enabled(if: PrivateSystem.isAvailable, "only root can install apps, in a namespace with mounts of its own"),
      arguments: Finding.Kind.allCases.filter(\.needsRoot))
    func `The advice for root can be carried out, and ends the finding`(_ kind: Finding.Kind) throws {
      let scene = try #require(try Self.scene(of: kind))
      try scene.carryOut(kind.rawValue)
    }

    /// Only a running systemd carries it out, which no test starts.
    @Test func `The advice for a clock is to compare it first, and names the command that sets it`() throws {
      let now = Date(timeIntervalSince1970: 1_800_000_000)
      let finding = try #require(ClockCheck.finding(writer: "desktop", wrote: now + 301, now: now))
      #expect(finding.kind == Finding.Kind.clock.rawValue)
      #expect(
        finding.fix == "Compare it with `date -u` on another machine, and set it with: sudo timedatectl set-ntp true")
    }

    @Test(.enabled(if: PrivateSystem.isAvailable))
    func `A member of an installed app's group is removed by the command that is advised`() throws {
      let installed = try InstalledScene()
      try installed.system.succeed(["gpasswd", "--add", "alice", try installed.group()])
      var scene = AdviceScene(installed.system, as: "alice")
      scene.texts = ["USER": "alice"]
      try scene.carryOut(Finding.Kind.installation.rawValue)
    }

    // MARK: Scenes

    /// Makes a scene in which something is found; nil for what has an exception.
    private static func scene(of kind: Finding.Kind) throws -> AdviceScene? {
      switch kind {
      case .ownerKeysOpen, .openCredential, .openOwnCredential, .lostCredentialFile, .unusableCredential, .fileMode,
        .store, .misspeltKey:
        try vaultScene(of: kind)
      case .forbiddenCredential, .openOwnerOfInstalled, .installation, .fileOwner, .desktopGroup, .bridgeHidesFile,
        .dumpablePrograms, .noDialogCopies:
        try rootScene(of: kind)
      case .agentFolder, .agentIgnoresScreen, .agentSilent: try agentScene(of: kind)
      case .bridgePart, .bridgeProgramGone, .bridgeNotExecutable, .bridgeOldClient, .bridgeOtherHelper,
        .bridgeForgottenHelpers, .bridgeProfile, .bridgeSocket, .bridgeFile, .bridgeShadowed, .bridgeNotInPath,
        .bridgeHiddenFile:
        try bridgeScene(of: kind)
      case .service, .backupFailed, .backupTimer, .backupLate: try serviceScene(of: kind)
      case .unexamined, .clock, .secretServiceFiles, .secretServiceOther, .secretServiceActivation: nil
      }
    }

    private static func vaultScene(of kind: Finding.Kind) throws -> AdviceScene {
      let machine = try Machine()
      try machine.makeVault()
      var scene = AdviceScene(machine)
      let passphrase = try machine.directory.write("passphrase", "correct horse")
      scene.answers = [
        "coffer passphrase set": "--new-passphrase-file \(passphrase)",
        "coffer passphrase change": "--passphrase-file \(passphrase) --new-passphrase-file \(passphrase)",
        "coffer app add": "--passphrase-file \(passphrase)", "coffer app remove": "--yes",
      ]
      scene.isChosen = { !$0.hasPrefix("sudo") }
      switch kind {
      case .openCredential: try machine.register("PhotoPro")
      case .openOwnCredential:
        try machine.coffer("set", "example.com", input: "s3cret")
        let file = try #require(machine.files().first { $0.path.hasSuffix("coffer.personal/credential") })
        let open = try Data(contentsOf: file)
        try machine.coffer("passphrase", "set", "--new-passphrase-file", passphrase)
        // As an earlier version has left it.
        try open.write(to: file)
      case .lostCredentialFile:
        try machine.register("PhotoPro")
        try machine.coffer("group", "require", purchases, "strong")
        try FileManager.default.removeItem(at: try machine.credential(of: pro).deletingLastPathComponent())
      case .misspeltKey:
        try machine.usePackages()
        try machine.register("PhotoPro")
        let sound = try String(contentsOfFile: Machine.entitlements(of: "PhotoPro"), encoding: .utf8)
        let misspelt = sound.replacing("keychain-access-groups", with: "keychain-acces-groups")
        let plist = try machine.installPackage(pro, plist: machine.directory.write("Misspelt.entitlements", misspelt))
        // Its environment has changed.
        scene.run = AdviceScene(machine).run
        scene.before = { try Data(sound.utf8).write(to: URL(fileURLWithPath: plist)) }
        scene.texts = ["FILE.entitlements": plist]
        #expect(try machine.coffer("app", "show", pro).contains("keychain-access-groups"))
        #expect(try machine.run("coffer", "app", "show", pro).errors.contains("keychain-acces-groups"))
        #expect(try machine.run("PhotoPro", "buy").exitCode == 0)
      case .unusableCredential:
        try machine.register("PhotoPro")
        try Data("broken".utf8).write(to: try machine.credential(of: pro))
      case .fileMode:
        try FileManager.default.setAttributes(
          [.posixPermissions: 0o644], ofItemAtPath: machine.vault.appending(path: "admin").path)
      case .store:
        try machine.coffer("set", "example.com", input: "s3cret")
        let store = machine.vault.appending(path: "store.sqlite").path
        try Command.run("sqlite3", store, "UPDATE record SET time = time + 1")
      default: break
      }
      return scene
    }

    private static func rootScene(of kind: Finding.Kind) throws -> AdviceScene {
      if kind == .desktopGroup { return try desktopGroupScene() }
      if kind == .openOwnerOfInstalled { return try openOwnerScene() }
      if kind == .bridgeHidesFile { return try hiddenFileScene() }
      if kind == .dumpablePrograms { return try kernelScene("fs/suid_dumpable", weak: 1) }
      if kind == .noDialogCopies { return try kernelScene("vm/memfd_noexec", weak: 2) }
      let installed = try InstalledScene(isInstalled: kind == .installation)
      var scene = AdviceScene(installed.system, as: "alice")
      scene.texts = ["PROGRAM": InstalledScene.program, "$(id -un)": "alice"]
      scene.answers = ["sudo coffer app install": "--passphrase-file /home/alice/passphrase"]
      let program = InstalledScene.program
      switch kind {
      case .forbiddenCredential:
        try installed.coffer("group", "require", purchases, "strong")
        scene.subject = pro
      case .installation: try installed.system.succeed(["sh", "-c", "cp \(program) new && mv new \(program)"])
      default:
        let folder = "/home/alice/.local/share/coffer/vaults/default/apps"
        try installed.system.succeed(["sh", "-c", "chown root \(folder)/*.\(pro)/credential"])
        scene.subject = "\(pro)/credential"
      }
      return scene
    }

    /// An app that was installed before somebody put back the owner's keys as they were without a passphrase.
    private static func openOwnerScene() throws -> AdviceScene {
      let system = try PrivateSystem()
      let vault = ".local/share/coffer/vaults/default"
      try system.addUser("alice")
      try system.write("right", to: "/home/alice/passphrase", as: "alice")
      let plist = try String(contentsOfFile: Machine.entitlements(of: "PhotoPro"), encoding: .utf8)
      try system.write(plist, to: "/home/alice/App.entitlements", as: "alice")
      let variables = ["COFFER_TEST_PASSPHRASE_COST": "floor"]
      for words in [
        "coffer init --name laptop --no-passphrase --vault-key-file key", "coffer app add App.entitlements",
        "cp -r \(vault) before", "coffer passphrase set --new-passphrase-file passphrase",
      ] {
        try system.succeed(["sh", "-c", words], as: "alice", environment: variables)
      }
      let install = [pro, "--setgid", InstalledScene.program, "--passphrase-file", "/home/alice/passphrase"]
      let id = try system.succeed(["id", "-u", "alice"])
      try system.succeed(
        ["/usr/local/bin/coffer", "app", "install"] + install, environment: ["SUDO_UID": id].merging(variables) { $1 })
      try system.succeed(["sh", "-c", "cp before/admin before/delivery \(vault)/"], as: "alice")
      var scene = AdviceScene(system, as: "alice")
      scene.answers = ["coffer passphrase set": "--new-passphrase-file /home/alice/passphrase"]
      return scene
    }

    /// A file of the system's that somebody has made since the bridge's own hides it.
    private static func hiddenFileScene() throws -> AdviceScene {
      let system = try PrivateSystem()
      try system.addUser("jane")
      for words in ["init --name m --no-passphrase --vault-key-file key", "bridge install ansible"] {
        try system.succeed(["sh", "-c", "coffer \(words)"], as: "jane")
      }
      try system.succeed(["mkdir", "-p", "/etc/ansible"])
      try system.write("[defaults]\nforks = 9\n", to: "/etc/ansible/ansible.cfg")
      var scene = AdviceScene(system, as: "jane")
      scene.after = {
        let text = try system.succeed(["cat", "/home/jane/.ansible.cfg"])
        #expect(text.contains("forks = 9") && text.contains("coffer-ansible-client"), "\(text)")
      }
      return scene
    }

    private static func desktopGroupScene() throws -> AdviceScene {
      let system = try PrivateSystem()
      for name in ["jane", "joe"] { try system.addUser(name) }
      try system.succeed(["groupadd", "--system", "helper"])
      for words in ["init --name m --no-passphrase --vault-key-file key", "app add --desktop helper"] {
        try system.succeed(["sh", "-c", "coffer \(words)"], as: "jane")
      }
      try system.succeed(["gpasswd", "--add", "joe", "helper"])
      var scene = AdviceScene(system, as: "jane")
      scene.texts = ["USER": "joe"]
      scene.isChosen = { $0.hasPrefix("sudo") }
      return scene
    }

    /// A system with a file in the place of a setting of the kernel, which all systems share.
    private static func kernelScene(_ setting: String, weak: Int) throws -> AdviceScene {
      let system = try PrivateSystem()
      try system.addUser("alice")
      try system.succeed(["coffer", "init", "--name", "m", "--no-passphrase", "--vault-key-file", "key"], as: "alice")
      let scene = AdviceScene(system, as: "alice")
      let (copy, path) = ("/etc/\(setting.replacing("/", with: "."))", "/proc/sys/\(setting)")
      try system.write("0\n", to: copy)
      try system.succeed(["mount", "--bind", copy, path])
      // Every other value is fine.
      for value in 0...2 where value != weak {
        try system.write("\(value)\n", to: copy)
        let found = try scene.find()
        #expect(!found.contains { path.hasSuffix($0.subject.replacing(".", with: "/")) }, "\(value): \(found)")
      }
      try system.write("\(weak)\n", to: copy)
      return scene
    }

    private static func agentScene(of kind: Finding.Kind) throws -> AdviceScene {
      let agent = try AgentScene()
      if kind == .agentFolder {
        let folder = agent.machine.directory.path("run")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
      } else {
        try agent.unlock()
      }
      if kind == .agentSilent { kill(try #require(try agent.agents().first), SIGSTOP) }
      var scene = AdviceScene(agent.machine)
      // The scene ends its agents when nobody needs it any more.
      scene.after = {
        // A process that was killed ends a moment later.
        if kind == .agentSilent { try waitUntil("the agent has ended") { try agent.agents().isEmpty } }
        extendLifetime(agent)
      }
      return scene
    }

    private static func bridgeScene(of kind: Finding.Kind) throws -> AdviceScene {
      let bridges = try BridgeScene()
      let machine = bridges.machine
      func write(_ file: String, _ text: String) throws {
        let url = URL(fileURLWithPath: bridges.path(file))
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
      }
      var isChosen: (String) -> Bool = { !$0.hasPrefix("coffer bridge remove") }
      var answers: KeyValuePairs<String, String> = [:]
      var after: () throws -> Void = {}
      switch kind {
      case .bridgePart:
        try bridges.install("docker")
        try FileManager.default.removeItem(atPath: bridges.path(".docker/config.json"))
      case .bridgeProgramGone:
        try bridges.install("git")
        let text = try String(contentsOfFile: bridges.path(".gitconfig"), encoding: .utf8)
        try write(".gitconfig", text.replacing(Machine.path(of: "coffer"), with: "/gone/coffer"))
      case .bridgeNotExecutable:
        try bridges.install("cargo")
        try FileManager.default.setAttributes(
          [.posixPermissions: 0o644], ofItemAtPath: bridges.path(".local/bin/cargo-credential-coffer"))
      case .bridgeFile:
        try bridges.install("docker")
        try write(".docker/config.json", "{")
      case .bridgeShadowed, .bridgeNotInPath:
        try bridges.install("docker")
        let other = kind == .bridgeShadowed ? ["\(bridges.home)/other"] : []
        try write("other/docker-credential-coffer", "#!/bin/sh\n")
        try Command.run("chmod", "+x", bridges.path("other/docker-credential-coffer"))
        let own = bridges.path(".local/bin")
        let folders = (machine.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        machine.environment["PATH"] = (other + folders.filter { $0 != own || kind == .bridgeShadowed })
          .joined(separator: ":")
        // The user logs in.
        after = { machine.environment["PATH"] = try machine.run("/bin/sh", "-c", ". ~/.profile; echo $PATH").text }
      case .bridgeHiddenFile:
        try bridges.install("cargo")
        try write(".cargo/config", "[net]\nretry = 2\n")
        isChosen = { _ in true }
      case .bridgeOldClient:
        try bridges.install("ssh-askpass")
        _ = try machine.directory.writeScript("ssh", "echo OpenSSH_7.9p1 >&2")
        machine.environment["PATH"] = "\(bridges.home):\(machine.environment["PATH"] ?? "")"
        isChosen = { $0.hasPrefix("coffer bridge remove") }
      case .bridgeOtherHelper:
        try write(".gitconfig", "[credential]\n\thelper = store\n")
        try bridges.install("git")
        machine.environment["GIT_EDITOR"] = "sed -i '/helper = store/d'"
      case .bridgeForgottenHelpers:
        try bridges.install("git")
        let text = try String(contentsOfFile: bridges.path(".gitconfig"), encoding: .utf8)
        try write(".gitconfig", text + "\thelper =\n")
        machine.environment["GIT_EDITOR"] = "sed -i '/helper =$/d'"
      case .bridgeProfile:
        try bridges.install("aws")
        try write(".aws/credentials", "[default]\naws_access_key_id = a\naws_secret_access_key = b\n")
        try write("key", #"{"AccessKeyId": "a", "SecretAccessKey": "b"}"#)
        answers = ["coffer set aws default": "< key"]
        after = { try FileManager.default.removeItem(atPath: bridges.path(".aws/credentials")) }
      default:
        try useSystemctl(on: machine)
        try bridges.install("systemd")
        try FileManager.default.removeItem(atPath: bridges.path("active"))
      }
      // After the changes of the environment.
      var scene = AdviceScene(machine)
      (scene.isChosen, scene.answers, scene.after) = (isChosen, answers, after)
      return scene
    }

    private static func serviceScene(of kind: Finding.Kind) throws -> AdviceScene {
      let machine = try Machine()
      try machine.makeVault()
      try useSystemctl(on: machine)
      let (folder, remote) = (machine.directory.path("backups"), machine.directory.path("remote.git"))
      func makeFolder() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      }
      try makeFolder()
      if kind == .service {
        try Command.run("git", "init", "--quiet", "--bare", remote)
        try machine.coffer("remote", "set", remote)
        try machine.coffer("service", "install")
      } else {
        try machine.coffer("backup", "schedule", folder)
      }
      let units = machine.directory.path(".config/systemd/user")
      let unit = try #require(
        try FileManager.default.contentsOfDirectory(atPath: units).first { $0.hasSuffix(".service") })
      var scene = AdviceScene(machine)
      // The journal is systemd's.
      scene.isChosen = { !$0.hasPrefix("journalctl") }
      switch kind {
      case .backupFailed:
        try FileManager.default.removeItem(atPath: folder)
        #expect(try machine.run("/bin/sh", "-c", "systemctl --user start \(unit)").exitCode != 0)
        scene.before = makeFolder
      case .backupLate:
        let timer = "\(units)/\(unit.replacing(".service", with: ".timer"))"
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSinceNow: -30 * 86_400)], ofItemAtPath: timer)
      default: try FileManager.default.removeItem(atPath: machine.directory.path("active"))
      }
      return scene
    }

    /// Puts a program in the place of `systemctl` that keeps in a file whether units are active, and runs the command
    /// line of a backup. No test starts systemd.
    private static func useSystemctl(on machine: Machine) throws {
      let tools = machine.directory.path("tools")
      try FileManager.default.createDirectory(atPath: tools, withIntermediateDirectories: true)
      _ = try machine.directory.writeScript(
        "tools/systemctl",
        """
        cd "$HOME"
        eval "unit=\\${$#}"
        case "$*" in
          *is-enabled*|*is-active*) test -e active;;
          *" start coffer-backup"*) sh -c "$(sed -n 's/^ExecStart=//p' ".config/systemd/user/$unit")";;
          *enable*|*start*) touch active;;
        esac
        """)
      let path = machine.environment["PATH"] ?? ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
      machine.environment["PATH"] = "\(tools):\(path)"
    }
  }

  extension Finding.Kind {
    /// Whether root has to make the scene.
    fileprivate var needsRoot: Bool {
      switch self {
      case .forbiddenCredential, .openOwnerOfInstalled, .installation, .fileOwner, .desktopGroup, .bridgeHidesFile,
        .dumpablePrograms, .noDialogCopies:
        true
      default: false
      }
    }

    /// Why no scene here carries out the advice; nil if one does.
    fileprivate var exception: String? {
      switch self {
      case .unexamined: "the advice is that of the error"
      case .clock: "only a running systemd sets a clock"
      case .secretServiceFiles, .secretServiceOther, .secretServiceActivation: "needs a desktop's bus"
      default: nil
      }
    }
  }

  extension AdviceScene {
    /// A scene of a user who may use sudo, in a system of its own.
    init(_ system: PrivateSystem, as user: String) {
      let variables = ["COFFER_TEST_PASSPHRASE_COST": "floor"]
      self.init(
        find: {
          let outcome = try system.run(["/usr/local/bin/coffer", "doctor", "--json"], as: user)
          return try JSONDecoder().decode([Finding].self, from: outcome.output)
        },
        run: { command in
          guard command.hasPrefix("sudo ") else {
            return try system.run(["sh", "-c", command], as: user, environment: variables)
          }
          let id = try system.succeed(["id", "-u", user])
          return try system.run(
            ["sh", "-c", String(command.dropFirst(5))], environment: ["SUDO_UID": id].merging(variables) { $1 })
        })
    }
  }
#endif
