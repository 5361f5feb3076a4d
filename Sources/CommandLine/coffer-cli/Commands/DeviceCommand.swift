internal import ArgumentParser

struct DeviceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device",
    abstract: "List the machines of a vault, invite, rename and remove machines, and create headless credentials.",
    subcommands: [
      DeviceListCommand.self, DeviceInviteCommand.self, DeviceApproveCommand.self, DeviceCreateCommand.self,
      DeviceRenameCommand.self, DeviceRevokeCommand.self,
    ])
}
