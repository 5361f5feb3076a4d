internal import ArgumentParser

/// What needs git of a backup, for `coffer backup`.
struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Write and unpack backups for `coffer backup`.", shouldDisplay: false,
    subcommands: [BackupCreateCommand.self, BackupUnpackCommand.self])
}
