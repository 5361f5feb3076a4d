internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferTerminal
internal import CofferVault

struct AppReinstallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reinstall", abstract: "As root: accept a new version of an installed app's program.",
    discussion: """
      After an upgrade, the program is another file, and does not open the vault until root has accepted it. A package does \
      this in its script postinst. The credentials of all users stay.
      """)
  @Argument(help: "A full application identifier, or a bundle identifier.")
  var app: String

  func run() throws {
    let program = try AppInstallation(of: InstallationOptions.bundleID(of: app)).reinstallProgram()
    try Output.line("\(program.file.path) runs with the group \(program.group).")
  }
}
