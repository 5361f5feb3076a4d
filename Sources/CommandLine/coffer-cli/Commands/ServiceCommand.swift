internal import ArgumentParser
internal import Coffer
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct ServiceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "service", abstract: "Sync the vault in the background, as a service of systemd.",
    discussion: """
      A service of the current user: it runs while the user is logged in or, after `loginctl enable-linger`, always. Each \
      vault has its own. `coffer status` shows how its syncs go.
      """,
    subcommands: [ServiceInstallCommand.self, ServiceStatusCommand.self, ServiceRemoveCommand.self])
}

struct ServiceInstallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "install", abstract: "Install and start the service that syncs the vault.",
    discussion: """
      The service runs `coffer sync --watch`: it syncs at once, two seconds after a change on this machine, and at the \
      interval. With --timer, nothing runs between two syncs, and changes wait for the next one. A second install replaces \
      the first.

      Nobody is asked for a password there: ssh needs a key without a passphrase, or an agent that systemd knows \
      (`systemctl --user import-environment SSH_AUTH_SOCK`).

      coffer service install
      coffer service install --timer --interval 1h
      coffer service install --print
      """)
  @Option(
    help: ArgumentHelp(
      "The time between two syncs, up to 20 % shorter or longer, such as 90s, 15m or 2h.", valueName: "time"))
  var interval: SyncInterval = .standard
  @Flag(help: "Start a sync at the interval only, in place of a program that goes on.")
  var timer = false
  @OptionGroup var options: UnitOptions

  func run() throws {
    let service = try SyncService.find()
    let mode = timer ? ServiceUnits.Mode.timer : .watch
    guard !options.print else { return try UnitOptions.show(service.units(mode, every: interval).files) }
    try service.install(mode, every: interval)
    let files = service.state().files
    guard !options.json else {
      return try Output.json(object: ["mode": mode, "interval": interval.seconds, "files": files])
    }
    try UnitOptions.showWritten(files)
    try Output.line(
      "The vault is synced \(timer ? "" : "after each change and ")every \(interval). See how it goes: coffer status")
  }
}

struct ServiceStatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show the service, and how its syncs go.",
    discussion: """
      Its messages are in the journal:

      journalctl --user --unit coffer-sync
      """)
  @OptionGroup var output: ReportOptions

  func run() throws {
    let service = try SyncService.find()
    let (state, health) = (service.state(), service.health())
    guard !output.json else { return try Output.json(object: ["service": state, "sync": health]) }
    var rows = [["Service", Self.words(for: state, of: service)]]
    rows += state.files.map { ["File", Output.cell($0)] }
    rows += health.rows(asOf: .now)
    try Output.table(rows)
  }

  private static func words(for state: SyncService.State, of service: SyncService) -> String {
    guard state.isInstalled else { return "not installed (coffer service install)" }
    let what = state.mode == .timer ? "a timer" : "a program that goes on"
    guard state.isActive else { return "\(what), installed and not running (\(service.startCommand ?? ""))" }
    return "\(what), running\(state.isEnabled ? "" : ", until you log out")"
  }
}

struct ServiceRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Stop the service and delete its files.",
    discussion: "The vault stays as it is. Without the service, `coffer sync` sends its changes.")
  @OptionGroup var output: ReportOptions

  func run() throws {
    try UnitOptions.showDeleted(
      SyncService.find().remove(), asJSON: output.json, ifNone: "The service was not installed.")
  }
}

/// The service of the current user that syncs one vault.
struct SyncService {
  /// What there is of the service.
  struct State: Encodable {
    let isInstalled: Bool
    let mode: ServiceUnits.Mode?
    /// Whether systemd runs it, or waits for the next time.
    let isActive: Bool
    /// Whether it starts when the user logs in.
    let isEnabled: Bool
    /// The files, by path.
    let files: [String]
  }

  private let vault: VaultFolder
  private let isUsersOwn: Bool
  private let program: String
  private let services: UserServices

  /// Finds the vault that the environment names, and the program that syncs it. Throws `io` if `coffer-sync` is
  /// missing.
  static func find() throws(VaultError) -> SyncService {
    let location = try VaultLocation.standard()
    let vault = VaultFolder(location)
    let program = try SiblingProgram.locate(SyncProgram.name)
    let command = "\(program.shellWord) sync --vault \(vault.path.shellWord)"
    let line = ServiceUnits.crontabLine(
      "*/15 * * * *", program, ["sync", SyncProcess.leaveUnread, "--vault", vault.path])
    return SyncService(
      vault: vault, isUsersOwn: location.isUsersOwn, program: program,
      services: try UserServices(
        alternative: "start `\(command) --watch &` when you log in, or add to your crontab: \(line)"))
  }

  func units(_ mode: ServiceUnits.Mode, every interval: SyncInterval) -> ServiceUnits {
    ServiceUnits(mode: mode, interval: interval, program: program, vault: vault, isUsersOwn: isUsersOwn)
  }

  /// The units of both modes, the timer at the end.
  private var installation: UserUnits {
    let units = units(.timer, every: .standard)
    let names = [units.serviceName, units.timerName]
    return UserUnits(services: services, names: names, mark: ServiceUnits.mark) { (error) throws(VaultError) in
      // Without a login session, systemd does not answer, although the service may run.
      guard let watcher = WatchLock.holder(in: vault) else { return }
      throw VaultError(
        .io, "the service runs as process \(watcher) and cannot be stopped: \(error.message)",
        recoverySuggestion: "log in as this user and try again, or end the process first: kill \(watcher)")
    }
  }

  /// Installs and starts the service, in place of an earlier one. Throws `invalidArgument` for a vault without a
  /// remote, and `io` if systemd does not manage the services of this user, or refuses the units. The earlier one stays
  /// then.
  func install(_ mode: ServiceUnits.Mode, every interval: SyncInterval) throws(VaultError) {
    let local = try LocalVault.open(vault)
    _ = try local.requiredRemote()
    try services.checkIsManaged()
    // The other mode has a unit that would go on.
    try installation.install(units(mode, every: interval).files)
  }

  /// Installs and starts the service unless it runs, or says why that is not possible: the vault syncs without it.
  static func start() {
    do throws(VaultError) {
      let service = try find()
      if !service.state().isActive { try service.install(.watch, every: .standard) }
      Terminal.printNote("The vault is synced in the background. See how it goes: coffer status")
    } catch {
      Terminal.printNote("The vault is not synced in the background: \(error)")
    }
  }

  /// Stops the service and deletes its files. Returns their paths; none if the service was not installed.
  func remove() throws(VaultError) -> [String] { try installation.remove() }

  /// Looks at the service.
  func state() -> State {
    let units = installation
    let files = units.installed
    return State(
      isInstalled: !files.isEmpty, mode: files.last.map { $0.hasSuffix(".timer") ? .timer : .watch },
      isActive: units.isActive, isEnabled: units.isEnabled, files: files)
  }

  /// The command that starts the service again as it is; nil if it is not installed.
  var startCommand: String? { installation.startCommand }

  /// How the syncs go.
  func health() -> SyncHealthReport {
    SyncHealthReport(
      SyncHealth.read(from: vault),
      unreadProblemCount: (try? LocalVault.open(vault).unreadProblems().problems.count) ?? 0,
      watcher: WatchLock.holder(in: vault))
  }
}
