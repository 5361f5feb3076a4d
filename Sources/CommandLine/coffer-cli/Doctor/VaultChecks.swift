internal import CofferAdministration
internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

/// Files of the vault that other users can read or change.
struct FileCheck: DoctorCheck {
  static let name = "files"

  func findings(in scene: DoctorScene) -> [Finding] { Self.findings(in: scene.local.folder) }

  /// Examines a vault's folder, also one whose store cannot be opened.
  static func findings(in folder: VaultFolder) -> [Finding] {
    guard !isAbsent(folder.path) else { return [] }
    var findings: [Finding] = []
    for path in [folder.path] + paths(in: folder.path) {
      var status = stat()
      guard unsafe lstat(path, &status) == 0 else { continue }
      let isFolder = status.st_mode & S_IFMT == S_IFDIR
      let shown = path.sanitizedForTerminal(limit: 4096)
      if status.st_uid != geteuid() && geteuid() != 0 {
        findings += .problem(
          .fileOwner, subject: shown, message: "It belongs to another user (uid \(status.st_uid)).",
          fix: "Take it back with: sudo chown $(id -un) \(path.shellWord)")
      } else if status.st_mode & S_IFMT != S_IFLNK, status.st_mode & (isFolder ? 0o022 : 0o077) != 0 {
        findings += .problem(
          .fileMode, subject: shown,
          message:
            "Other users can \(isFolder ? "change what is in it" : "open it") (mode \(String(status.st_mode & 0o7777, radix: 8))).",
          fix: "Take the right from them with: chmod \(isFolder ? "go-w" : "go-rwx") \(path.shellWord)"
        ) { takeRights(of: path, isFolder ? 0o022 : 0o077) }
      }
    }
    return findings
  }

  /// Takes rights of others from a file or folder that nobody has put in its place since it was examined.
  private static func takeRights(of path: String, _ rights: mode_t) -> Bool {
    let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    defer { _ = descriptor < 0 ? 0 : close(descriptor) }
    var status = stat()
    guard descriptor >= 0, unsafe fstat(descriptor, &status) == 0 else { return false }
    return fchmod(descriptor, status.st_mode & 0o7777 & ~rights) == 0
  }

  /// The files with keys, the store, and the folders that lead to them.
  private static func paths(in folder: String) -> [String] {
    let isTopFile = { (name: String) in !name.hasSuffix(".git") && !name.hasSuffix(".lock") && name != "incoming" }
    let files = FileManager.default
    let top = ((try? files.contentsOfDirectory(atPath: folder)) ?? []).filter(isTopFile).sorted()
    let apps = ((try? files.contentsOfDirectory(atPath: "\(folder)/apps")) ?? []).sorted().prefix(1_024)
    return top.map { "\(folder)/\($0)" }
      + apps.flatMap { ["\(folder)/apps/\($0)", "\(folder)/apps/\($0)/credential"] }
  }
}

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
    return .problem(
      .store, subject: scene.local.folder.storePath.sanitizedForTerminal(limit: 4096),
      message: "\(counted(report.total, "row")) \(report.total == 1 ? "differs" : "differ") from the signed objects.",
      fix: "Restore it from them with: coffer check --repair"
    ) { () throws(VaultError) in
      let repaired = try check.repair()
      return repaired.lostCount == 0 && !repaired.needsRemote
    }
  }
}

/// A clock that is behind what the machines of the vault have signed. What this machine writes would then lose against
/// older versions.
struct ClockCheck: DoctorCheck {
  static let name = "clock"

  /// How far two clocks that are set may be apart, in seconds.
  private static let tolerance = 300.0

  func findings(in scene: DoctorScene) throws(VaultError) -> [Finding] {
    let status = scene.overview.status
    let writes = status.machines.compactMap { machine in machine.lastWrite.map { (machine.name, $0) } }
    return ([("the membership log", status.logTime)] + writes).max { $0.1 < $1.1 }
      .flatMap { Self.finding(writer: $0, wrote: $1, now: status.time) }.map { [$0] } ?? []
  }

  /// What is found if the latest that anybody has written is of a time.
  static func finding(writer: String, wrote time: Date, now: Date) -> Finding? {
    guard time.timeIntervalSince(now) > tolerance else { return nil }
    return Finding(
      .clock, .problem, subject: "the clock of this machine",
      message: """
        It shows \(Output.date(now)), but what \(writer) has written last is of \(Output.date(time)). One of the two clocks is \
        wrong.
        """,
      fix: "Compare it with `date -u` on another machine, and set it with: sudo timedatectl set-ntp true")
  }
}

/// What needs attention in the vault as a whole, in the words of the overview in `coffer inspect`: syncs, machines, the
/// membership log, missing credentials, conflicts and items to replace.
struct AttentionCheck: DoctorCheck {
  static let name = "vault"

  func findings(in scene: DoctorScene) throws(VaultError) -> [Finding] {
    guard scene.local.keysInMemory == nil else { return [] }
    return scene.overview.attention.compactMap { entry in
      switch entry {
      // EnforcementCheck finds these, and how each app is kept from others. One machine is how everybody begins.
      case .noPassphrase, .openCredentials, .ownCredentials, .unusableCredential, .singleMachine: nil
      default:
        Finding(
          kind: entry.kind.name, severity: Self.isProblem(entry) ? .problem : .advice,
          subject: "the vault at \(scene.local.folder.path.sanitizedForTerminal(limit: 4096))",
          message: entry.sentence, fix: entry.advice)
      }
    }
  }

  /// Whether something is wrong or does not work, and not only left to do.
  private static func isProblem(_ entry: Attention) -> Bool {
    switch entry {
    case .syncFails, .lackingRights: true
    default: entry.severity == .urgent
    }
  }
}

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
      .problem(kind, subject: subject, message: message, fix: fix)
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
        "Start it again with: \(service.startCommand ?? start)")
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

/// The service that syncs the vault by itself.
struct ServiceCheck: DoctorCheck {
  static let name = "service"

  func findings(in scene: DoctorScene) throws(VaultError) -> [Finding] {
    guard scene.local.keysInMemory == nil, try scene.local.remote() != nil else { return [] }
    let service = try SyncService.find()
    let state = service.state()
    guard !state.isActive, let start = service.startCommand else { return [] }
    return .problem(
      .service, subject: state.files.last ?? "coffer-sync",
      message: "It is installed, but does not run: nothing syncs this vault by itself.",
      fix: "Find out why with `journalctl --user --unit coffer-sync`, and start it again with: \(start)")
  }
}
