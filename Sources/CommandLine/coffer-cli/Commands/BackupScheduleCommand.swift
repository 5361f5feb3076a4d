internal import ArgumentParser
internal import Coffer
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct BackupScheduleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schedule", abstract: "Make backups at a fixed time, with a timer of systemd.",
    discussion: """
      A timer of the current user adds a backup to the folder, each under a name of its own, and deletes all but the newest of \
      this machine. If the folder is missing, because its disk is not there, nothing is written and the next time is awaited. \
      `coffer doctor` says when backups fail. Without arguments, shows the schedule. A second schedule replaces the first, and \
      keeps its --keep and --every unless they are given.

      Nobody is asked for anything there, so these backups open with the vault key only.

      coffer backup schedule /media/usb/backups
      coffer backup schedule --every week --keep 10 ~/Sync/coffer
      coffer backup schedule --remove
      """)
  @Argument(help: "The folder.", completion: .directory)
  var folder: String?
  @Option(help: ArgumentHelp("The number of backups that stay, 7 at first.", valueName: "number"))
  var keep: Int?
  @Option(help: ArgumentHelp("How often: hour, day (at first) or week.", valueName: "time"))
  var every: BackupService.Frequency?
  @Flag(help: "Stop the timer and delete its files. The backups stay.")
  var remove = false
  @OptionGroup var options: UnitOptions

  func validate() throws {
    if remove, folder != nil || options.print { throw ValidationError("--remove takes neither a folder nor --print") }
    if options.print, folder == nil { throw ValidationError("--print needs the folder") }
    guard (1...1_000).contains(keep ?? 1) else { throw ValidationError("--keep must be a number from 1 to 1000") }
  }

  func run() throws {
    let service = try BackupService.find()
    guard !remove else {
      return try UnitOptions.showDeleted(
        service.remove(), asJSON: options.json, ifNone: "No backups were scheduled.")
    }
    guard let folder else { return try show(service) }
    let path = URL(fileURLWithPath: folder, isDirectory: false).standardizedFileURL.path(percentEncoded: false)
    guard !path.unicodeScalars.contains(where: { $0.value < 32 }) else {
      throw VaultError(
        .invalidArgument, "the path of the folder has a control character", recoverySuggestion: "choose another one")
    }
    // Without them, a schedule that keeps more would lose its older backups.
    let former = service.state()
    let (keep, every) = (keep ?? former.keptCount ?? 7, every ?? former.frequency ?? .day)
    guard !options.print else {
      return try UnitOptions.show(service.files(into: path, keeping: keep, every: every))
    }
    let files = try service.install(into: path, keeping: keep, every: every)
    guard !options.json else {
      return try Output.json(object: ["folder": path, "frequency": every.rawValue, "keptCount": keep, "files": files])
    }
    try UnitOptions.showWritten(files)
    try Output.line(
      "A backup is added to \(Output.cell(path)) every \(every.rawValue), and the newest \(keep) stay.")
  }

  private func show(_ service: BackupService) throws {
    let (state, health) = (service.state(), service.health)
    guard !options.json else {
      return try Output.json(object: [
        "isScheduled": !state.files.isEmpty, "isActive": state.isActive, "folder": state.folder,
        "frequency": state.frequency?.rawValue, "files": state.files, "lastBackup": health.lastBackup,
        "lastError": health.lastBackupError?.error.description,
      ])
    }
    guard !state.files.isEmpty else {
      return try Output.line("No backups are scheduled (coffer backup schedule FOLDER).")
    }
    var rows = [["Folder", Output.cell(state.folder ?? "unknown")]]
    if let frequency = state.frequency { rows.append(["Every", frequency.rawValue]) }
    rows.append(["Timer", state.isActive ? "running" : "installed and not running (\(service.startCommand ?? ""))"])
    rows.append(["Last backup", health.lastBackup.map { Output.date($0, asOf: .now) } ?? "none yet"])
    if let error = health.lastBackupError?.error { rows.append(["Failed", Output.cell(error.description)]) }
    try Output.table(rows)
  }
}

/// The timer of the current user that adds backups of one vault to a folder.
struct BackupService {
  /// How often a backup is made.
  enum Frequency: String, CaseIterable, Sendable, ExpressibleByArgument {
    case hour, day, week

    /// The word of systemd's calendar; when it is in a crontab; and the number of seconds after which a backup is
    /// overdue, because a machine may be off for a while.
    private var terms: (calendar: String, crontabTime: String, toleratedAge: Double) {
      switch self {
      case .hour: ("hourly", "0 * * * *", 86_400)
      case .day: ("daily", "0 12 * * *", 3 * 86_400)
      case .week: ("weekly", "0 12 * * 1", 10 * 86_400)
      }
    }

    fileprivate var calendar: String { terms.calendar }
    fileprivate var crontabTime: String { terms.crontabTime }
    var toleratedAge: Double { terms.toleratedAge }
  }

  /// What is installed.
  struct State: Sendable {
    let folder: String?
    let frequency: Frequency?
    let keptCount: Int?
    /// Whether systemd waits for the next time.
    let isActive: Bool
    let files: [String]
    /// The unit whose messages the journal has.
    let unit: String
    /// When the timer was installed; nil if it was not.
    let installed: Date?
  }

  private let vault: VaultFolder
  private let name: String
  private let program: String
  private let services: UserServices

  /// Finds the vault that the environment names, and the program that makes backups. Throws `io` if `coffer-sync` is
  /// missing.
  static func find() throws(VaultError) -> BackupService {
    let location = try VaultLocation.standard()
    let vault = VaultFolder(location)
    return BackupService(
      vault: vault, name: ServiceUnits.name("coffer-backup", of: vault, isUsersOwn: location.isUsersOwn),
      program: try SiblingProgram.locate(SyncProgram.name),
      services: try UserServices(alternative: "make backups by hand with: coffer backup FILE"))
  }

  private var serviceName: String { name + ".service" }
  private var timerName: String { name + ".timer" }
  private var units: UserUnits { UserUnits(services: services, names: [serviceName, timerName], mark: Self.mark) }

  private func arguments(into folder: String, keeping count: Int) -> [String] {
    ["backup", "create", "--vault", vault.path, "--keep", "\(count)", "--scheduled", "--", folder]
  }

  /// The line of a crontab that does the same without systemd.
  private func crontabLine(into folder: String, keeping count: Int, every frequency: Frequency) -> String {
    ServiceUnits.crontabLine(frequency.crontabTime, program, arguments(into: folder, keeping: count))
  }

  /// The files, with the enabled unit at the end.
  func files(into folder: String, keeping count: Int, every frequency: Frequency) -> [ServiceUnits.File] {
    let arguments = arguments(into: folder, keeping: count)
    let what = "Coffer: backup of the vault \(ServiceUnits.escaped(vault.path))"
    return [
      ServiceUnits.File(
        name: serviceName,
        text: """
          \(Self.mark)
          [Unit]
          Description=\(what)

          [Service]
          Type=oneshot
          ExecStart=\(ServiceUnits.commandLine(program, arguments))
          TimeoutStartSec=3900
          \(ServiceUnits.confinement(addressFamilies: "AF_UNIX"))

          """),
      ServiceUnits.File(
        name: timerName,
        text: """
          \(Self.mark)
          [Unit]
          Description=\(what) every \(frequency.rawValue)
          \(Self.folderKey)\(folder)

          [Timer]
          OnCalendar=\(frequency.calendar)
          Persistent=yes
          RandomizedDelaySec=600

          [Install]
          WantedBy=timers.target

          """),
    ]
  }

  private static let mark = UserUnits.mark(install: "coffer backup schedule", remove: "coffer backup schedule --remove")
  /// A comment by which the folder is found again.
  private static let folderKey = "# Folder: "

  /// Installs and starts the timer, in place of an earlier one. Throws `invalidArgument` if there is no such folder,
  /// and `io` if systemd does not manage the services of this user, or refuses the units. The earlier one stays then.
  func install(into folder: String, keeping count: Int, every frequency: Frequency) throws(VaultError) -> [String] {
    _ = try LocalVault.open(vault)
    guard (try? FileManager.default.contentsOfDirectory(atPath: folder)) != nil else {
      throw VaultError(
        .invalidArgument, "there is no folder \(folder)", recoverySuggestion: "create it first; nothing was installed")
    }
    try services.checkIsManaged(
      or: "add this line to your crontab: \(crontabLine(into: folder, keeping: count, every: frequency))")
    try units.install(files(into: folder, keeping: count, every: frequency))
    // Of an earlier schedule.
    SyncHealth.update(in: vault) { $0.lastBackupError = nil }
    return state().files
  }

  /// Stops the timer and deletes its files. Returns their paths; none if it was not installed.
  func remove() throws(VaultError) -> [String] { try units.remove() }

  /// Looks at the timer.
  func state() -> State {
    let lines = services.text(of: timerName)?.split(separator: "\n") ?? []
    let calendar = lines.first { $0.hasPrefix("OnCalendar=") }.map { $0.dropFirst("OnCalendar=".count) }
    return State(
      folder: lines.first { $0.hasPrefix(Self.folderKey) }.map { String($0.dropFirst(Self.folderKey.count)) },
      frequency: Frequency.allCases.first { $0.calendar == calendar.map(String.init) }, keptCount: keptCount,
      isActive: units.isActive, files: units.installed, unit: name, installed: installationDate)
  }

  /// The command that starts the timer again; nil if it is not installed.
  var startCommand: String? { units.startCommand }

  private var keptCount: Int? {
    guard let text = services.text(of: serviceName), let end = text.firstRange(of: " --scheduled ") else { return nil }
    return text[..<end.lowerBound].split(separator: " ").last.flatMap { Int($0) }
  }

  private var installationDate: Date? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: services.path(of: timerName))
    return attributes?[.modificationDate] as? Date
  }

  /// When the last scheduled backup was made, and why a later one failed.
  var health: SyncHealth { SyncHealth.read(from: vault) }
}
