internal import ArgumentParser

struct DeviceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device",
    abstract: "List the machines of a vault, create headless credentials, and take machines out.",
    subcommands: [DeviceListCommand.self, DeviceCreateCommand.self, DeviceRevokeCommand.self])
}
