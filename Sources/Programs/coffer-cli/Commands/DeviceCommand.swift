internal import ArgumentParser

struct DeviceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device", abstract: "List the machines of a vault, and take them out.",
    subcommands: [DeviceListCommand.self, DeviceRevokeCommand.self])
}
