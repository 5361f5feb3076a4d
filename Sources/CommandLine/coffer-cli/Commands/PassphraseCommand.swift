internal import ArgumentParser

struct PassphraseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "passphrase", abstract: "Set or change this machine's passphrase.",
    discussion: """
      The passphrase protects the keys of this machine's owner, and the credentials of apps that were registered with \
      --locked. Each machine has its own.
      """,
    subcommands: [PassphraseChangeCommand.self, PassphraseSetCommand.self])
}
