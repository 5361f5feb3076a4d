internal import ArgumentParser

struct AppCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "app", abstract: "Register apps by their entitlements.",
    subcommands: [
      AppAddCommand.self, AppInstallCommand.self, AppListCommand.self, AppReinstallCommand.self, AppRemoveCommand.self,
      AppShowCommand.self, AppSignCommand.self, AppUninstallCommand.self,
    ])
}
