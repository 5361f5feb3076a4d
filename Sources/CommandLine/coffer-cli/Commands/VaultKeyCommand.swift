internal import ArgumentParser

struct VaultKeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "vault-key", abstract: "Show, check or replace the key that recovers the vault.",
    discussion: """
      `coffer init` and `coffer vault-key rotate` show the vault key once, and `coffer vault-key show` does for a vault that an \
      app has created. It enrols another machine and recovers everything, and is then stored nowhere.
      """,
    subcommands: [VaultKeyShowCommand.self, VaultKeyCheckCommand.self, VaultKeyRotateCommand.self])
}
