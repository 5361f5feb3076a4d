internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferTerminal
internal import CofferVault

struct AppUninstallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "uninstall", abstract: "As root: take back what `coffer app install` has installed.",
    discussion: """
      Deletes the user's credential of the app. When no user has one any more, the program loses its group, and the group is \
      deleted. The app stays registered, with its items: see coffer app remove.
      """)
  @Argument(help: "A full application identifier, or a bundle identifier.")
  var app: String
  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("The user whose credential is deleted. Default: who has run sudo.", valueName: "user"))
  var owner: String?
  @Flag(help: "Delete the credentials of all users, and the group.")
  var all = false

  func run() throws {
    let installation = try AppInstallation(of: InstallationOptions.bundleID(of: app))
    let id = installation.app.bundleID
    guard installation.app.isInstalled else { throw installation.notInstalled }
    guard !all else {
      try installation.removeAll()
      return try Output.line("\(id) is not installed any more.")
    }
    let user = try InstallationOptions.user(named: owner)
    let remains = try installation.remove(user)
    try Output.line(
      remains ? "\(user.name) has no installed credential of \(id)." : "\(id) is not installed any more.")
  }
}
