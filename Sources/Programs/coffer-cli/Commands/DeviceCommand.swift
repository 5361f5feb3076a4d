internal import ArgumentParser

struct DeviceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device",
    abstract: "List the machines of a vault, invite machines, create headless credentials, and take machines out.",
    subcommands: [
      DeviceListCommand.self, DeviceInviteCommand.self, DeviceApproveCommand.self, DeviceCreateCommand.self,
      DeviceRevokeCommand.self,
    ])
}
