internal import Coffer
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

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
    let line = ServiceUnits.crontabLine("*/15 * * * *", program, ["sync", "--vault", vault.path])
    return SyncService(
      vault: vault, isUsersOwn: location.isUsersOwn, program: program,
      services: try UserServices(
        alternative: "start `\(command) --watch &` when you log in, or add to your crontab: \(line)"))
  }

  func units(_ mode: ServiceUnits.Mode, every interval: SyncInterval) -> ServiceUnits {
    ServiceUnits(mode, every: interval, program: program, vault: vault, isUsersOwn: isUsersOwn)
  }

  /// Installs and starts the service, in place of an earlier one. Throws `invalidArgument` for a vault without a
  /// remote, and `io` if systemd does not manage the services of this user, or refuses the units. Nothing is left then.
  func install(_ mode: ServiceUnits.Mode, every interval: SyncInterval) throws(VaultError) {
    let local = try LocalVault.open(vault)
    _ = try local.requiredRemote()
    try services.checkIsManaged()
    let units = units(mode, every: interval)
    // The other mode has a unit that would go on.
    _ = try remove()
    do throws(VaultError) {
      for file in units.files { try services.write(file) }
      try services.control("daemon-reload")
      try services.control("enable", units.enabledName)
      try services.control("start", units.enabledName)
    } catch {
      _ = try? remove()
      throw error
    }
  }

  /// Stops the service and deletes its files. Returns their paths; none if the service was not installed.
  func remove() throws(VaultError) -> [String] {
    let names = names
    let present = names.filter { services.text(of: $0) != nil }
    guard !present.isEmpty else { return [] }
    for name in present {
      do throws(VaultError) {
        _ = try services.control("disable", "--now", name)
      } catch {
        // Without a login session, systemd does not answer, although the service may run.
        guard let watcher = WatchLock.holder(in: vault) else { continue }
        throw VaultError(
          .io, "the service runs as process \(watcher) and cannot be stopped: \(error.message)",
          recoverySuggestion: "log in as this user and try again, or end the process first: kill \(watcher)")
      }
    }
    var deleted: [String] = []
    for name in names where try services.delete(name) { deleted.append(services.path(of: name)) }
    _ = try? services.control("daemon-reload")
    return deleted
  }

  /// Looks at the service.
  func state() -> State {
    let present = names.filter { services.text(of: $0) != nil }
    guard let unit = present.last else {
      return State(isInstalled: false, mode: nil, isActive: false, isEnabled: false, files: [])
    }
    return State(
      isInstalled: true, mode: unit.hasSuffix(".timer") ? .timer : .watch, isActive: services.holds("is-active", unit),
      isEnabled: services.holds("is-enabled", unit), files: present.map(services.path(of:)))
  }

  /// How the syncs go.
  func health() -> SyncHealthReport {
    SyncHealthReport(SyncHealth.read(from: vault), watcher: WatchLock.holder(in: vault))
  }

  /// The names of all units that the service can have, the timer at the end.
  private var names: [String] {
    let units = units(.timer, every: .standard)
    return [units.serviceName, units.timerName]
  }
}
