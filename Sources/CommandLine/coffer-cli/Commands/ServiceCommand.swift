internal import ArgumentParser

struct ServiceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "service", abstract: "Sync the vault in the background, as a service of systemd.",
    discussion: """
      A service of the current user: it runs while the user is logged in or, after `loginctl enable-linger`, always. Each \
      vault has its own. `coffer status` shows how its syncs go.
      """,
    subcommands: [ServiceInstallCommand.self, ServiceStatusCommand.self, ServiceRemoveCommand.self])
}
