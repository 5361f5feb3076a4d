internal import ArgumentParser

struct IdentityCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "identity", abstract: "Import certificates with their private keys, or export one (PKCS #12).",
    subcommands: [IdentityImportCommand.self, IdentityExportCommand.self])
}
