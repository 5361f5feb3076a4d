internal import ArgumentParser

struct KeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key", abstract: "Import a private key, or export one.",
    subcommands: [KeyImportCommand.self, KeyExportCommand.self])
}
