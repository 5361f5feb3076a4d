internal import ArgumentParser
internal import CofferPlatform
internal import CofferTerminal

struct ServiceStatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show the service, and how its syncs go.",
    discussion: """
      Its messages are in the journal:

      journalctl --user --unit coffer-sync
      """)
  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let service = try SyncService.find()
    let (state, health) = (service.state(), service.health())
    guard !json else { return try Output.json(object: ["service": state, "sync": health]) }
    var rows = [["Service", Self.words(for: state)]]
    rows += state.files.map { ["File", Output.cell($0)] }
    rows += health.rows(asOf: .now)
    try Output.table(rows)
  }

  private static func words(for state: SyncService.State) -> String {
    guard state.isInstalled else { return "not installed (coffer service install)" }
    let what = state.mode == .timer ? "a timer" : "a program that goes on"
    guard state.isActive else { return "\(what), installed and not running (coffer service install)" }
    return "\(what), running\(state.isEnabled ? "" : ", until you log out")"
  }
}
