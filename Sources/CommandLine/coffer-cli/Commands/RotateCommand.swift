internal import ArgumentParser

struct RotateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate",
    abstract: "List the items to replace after machines, apps or a vault key were removed, or dismiss them.",
    discussion: """
      Whoever was removed may have kept what it could read, and so may whoever has a vault key that was replaced. An item is \
      listed until it has another value that was written afterwards, on a machine that had heard of it: change the password \
      where it is used, then run `coffer set`, with --class internet-password for an internet password. Or dismiss it, with a \
      reason.
      """,
    subcommands: [RotateListCommand.self, RotateDismissCommand.self], defaultSubcommand: RotateListCommand.self)
}
