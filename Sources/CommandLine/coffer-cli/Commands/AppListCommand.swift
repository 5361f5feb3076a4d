internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferTerminal
internal import CofferTrust
internal import CofferVault

struct AppListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the registered apps.", aliases: ["ls"])
  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let apps = try VaultStatus.read(from: LocalVault.openForReading(warn: Terminal.printError)).applications
    guard !json else { return try Output.json(apps.map(\.json)) }
    if apps.isEmpty { return Terminal.printNote("no apps; register one with: coffer app add FILE.entitlements") }
    try Output.table(
      [["APP", "GROUPS", "REGISTERED", "ENFORCED", "ON THIS MACHINE"]]
        + apps.map {
          [
            $0.id, String($0.groups.count), Output.date($0.registered), Self.enforcement(of: $0),
            Self.state(of: $0),
          ]
        })
  }

  private static func state(of app: VaultStatus.Application) -> String {
    if let problem = problem(of: app) { return problem }
    if app.needsInstallation { return "must be installed: sudo coffer app install \(app.bundleID) --setgid PROGRAM" }
    if app.needsNewCredential { return "lacks rights that it lost before: coffer app install \(app.bundleID)" }
    if app.hasCredentialHere { return app.isSealedHere ? "ready, locked by the passphrase" : "ready" }
    return app.isOffered
      ? "no credential here: coffer app install \(app.bundleID)" : "not given to this machine by an admin"
  }

  /// What keeps the program that root has installed from being the app, as an instruction; nil if nothing does.
  private static func problem(of app: VaultStatus.Application) -> String? {
    BundleID(app.bundleID).flatMap { InstalledApp($0).problem }.map { problem in
      "not usable: \(problem.recoverySuggestion ?? problem.message)"
    }
  }

  private static func enforcement(of app: VaultStatus.Application) -> String {
    guard let program = app.desktop, program.strength != .none else { return app.enforcement.words }
    return "\(app.enforcement.words); on the bus: \(program.strength.rawValue)"
  }
}
