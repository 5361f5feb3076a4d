internal import ArgumentParser
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
      `coffer doctor` says when backups fail. Without arguments, shows the schedule.

      Nobody is asked for anything there, so these backups open with the vault key only.

      coffer backup schedule /media/usb/backups
      coffer backup schedule --every week --keep 10 ~/Sync/coffer
      coffer backup schedule --remove
      """)
  @Argument(help: "The folder.", completion: .directory)
  var folder: String?
  @Option(help: ArgumentHelp("The number of backups that stay.", valueName: "number"))
  var keep = 7
  @Option(help: ArgumentHelp("How often: hour, day or week.", valueName: "time"))
  var every: BackupService.Frequency = .day
  @Flag(help: "Stop the timer and delete its files. The backups stay.")
  var remove = false
  @Flag(help: "Print the units, and install nothing.")
  var print = false
  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    if remove, folder != nil || print { throw ValidationError("--remove takes neither a folder nor --print") }
    if print, folder == nil { throw ValidationError("--print needs the folder") }
    if print, json { throw ValidationError("--print prints the units, which are no JSON") }
    guard (1...1_000).contains(keep) else { throw ValidationError("--keep must be a number from 1 to 1000") }
  }

  func run() throws {
    let service = try BackupService.find()
    guard !remove else { return try removeTimer(service) }
    guard let folder else { return try show(service) }
    let path = URL(fileURLWithPath: folder, isDirectory: false).standardizedFileURL.path(percentEncoded: false)
    guard !path.unicodeScalars.contains(where: { $0.value < 32 }) else {
      throw VaultError(
        .invalidArgument, "the path of the folder has a control character", recoverySuggestion: "choose another one")
    }
    if print {
      for file in service.files(into: path, keeping: keep, every: every) {
        try Output.line("# \(file.name)")
        try Output.line(file.text)
      }
      return
    }
    let files = try service.install(into: path, keeping: keep, every: every)
    guard !json else {
      return try Output.json(object: ["folder": path, "frequency": every.rawValue, "keptCount": keep, "files": files])
    }
    for file in files { try Output.line("Wrote \(Output.cell(file))") }
    try Output.line(
      "A backup is added to \(Output.cell(path)) every \(every.rawValue), and the newest \(keep) stay.")
  }

  private func removeTimer(_ service: BackupService) throws {
    let files = try service.remove()
    guard !json else { return try Output.json(object: ["files": files]) }
    guard !files.isEmpty else { return try Output.line("No backups were scheduled.") }
    for file in files { try Output.line("Deleted \(Output.cell(file))") }
  }

  private func show(_ service: BackupService) throws {
    let (state, health) = (service.state(), service.health)
    guard !json else {
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
    rows.append(["Timer", state.isActive ? "running" : "installed and not running (coffer backup schedule FOLDER)"])
    rows.append(["Last backup", health.lastBackup.map { Output.date($0, asOf: .now) } ?? "none yet"])
    if let error = health.lastBackupError?.error { rows.append(["Failed", Output.cell(error.description)]) }
    try Output.table(rows)
  }
}
