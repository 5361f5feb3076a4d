internal import ArgumentParser

struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Keep the whole vault in one encrypted file, and restore it without a remote.",
    discussion: """
      `coffer backup FILE` is `coffer backup create FILE`. A backup has every item, its history and the membership log, as a \
      remote has them, and opens with the vault key only. Items that never leave a machine are not in it.

      coffer backup vault.coffer
      coffer backup check vault.coffer
      coffer backup restore vault.coffer
      """,
    subcommands: [
      BackupCreateCommand.self, BackupCheckCommand.self, BackupRestoreCommand.self, BackupScheduleCommand.self,
    ],
    defaultSubcommand: BackupCreateCommand.self)
}
