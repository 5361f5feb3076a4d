internal import ArgumentParser
internal import CofferTerminal
internal import CofferVault

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
  @Flag(help: "Print the units, and install nothing.")
  var print = false
  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    if print, json { throw ValidationError("--print prints the units, which are no JSON") }
  }

  func run() throws {
    let service = try SyncService.find()
    let mode = timer ? ServiceUnits.Mode.timer : .watch
    if print {
      for file in service.units(mode, every: interval).files {
        try Output.line("# \(file.name)")
        try Output.line(file.text)
      }
      return
    }
    try service.install(mode, every: interval)
    let files = service.state().files
    guard !json else { return try Output.json(object: ["mode": mode, "interval": interval.seconds, "files": files]) }
    for file in files { try Output.line("Wrote \(Output.cell(file))") }
    try Output.line(
      "The vault is synced \(timer ? "" : "after each change and ")every \(interval). See how it goes: coffer status")
  }
}
