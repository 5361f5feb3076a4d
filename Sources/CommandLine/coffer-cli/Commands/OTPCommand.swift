internal import ArgumentParser

struct OTPCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "otp", abstract: "Print the one-time code of an account, or change its seed.",
    discussion: """
      The seed of the codes belongs to a password, with which it is sealed, synced, renamed, moved and deleted. \
      `coffer list` and `coffer show` never print it.

      Without a subcommand, prints the code: `coffer otp github.com jane`, `coffer otp github.com jane --clip`; all options are \
      listed by: coffer otp code --help
      """,
    subcommands: [OTPCodeCommand.self, OTPAddCommand.self, OTPURICommand.self, OTPRemoveCommand.self],
    defaultSubcommand: OTPCodeCommand.self)
}
