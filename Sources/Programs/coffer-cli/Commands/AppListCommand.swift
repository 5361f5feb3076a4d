internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferTerminal
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
            $0.needsInstallation
              ? "must be installed: sudo coffer app install \($0.bundleID) --setgid PROGRAM"
              : $0.needsNewCredential
                ? "lacks rights that it lost before: coffer app install \($0.bundleID)"
                : $0.hasCredentialHere
                  ? ($0.isSealedHere ? "ready, locked by the passphrase" : "ready")
                  : $0.isOffered
                    ? "no credential here: coffer app install \($0.bundleID)" : "not given to this machine by an admin",
          ]
        })
  }

  private static func enforcement(of app: VaultStatus.Application) -> String {
    guard let program = app.desktop, program.strength != .none else { return app.enforcement.words }
    return "\(app.enforcement.words); on the bus: \(program.strength.rawValue)"
  }
}
