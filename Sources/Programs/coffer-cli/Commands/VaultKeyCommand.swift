internal import ArgumentParser

struct VaultKeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "vault-key", abstract: "Check or replace the key that recovers the vault.",
    discussion: """
      `coffer init` and `coffer vault-key rotate` show the vault key once. It enrols another machine and recovers everything, and is stored nowhere.
      """,
    subcommands: [VaultKeyCheckCommand.self, VaultKeyRotateCommand.self])
}
