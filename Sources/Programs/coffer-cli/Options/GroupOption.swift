internal import ArgumentParser

/// One access group.
struct GroupOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The access group, by its full name or without the team prefix.",
      discussion: "Default: all groups for searches; with --app, the app's default group for writes.",
      valueName: "group"), completion: .custom(VaultCompletion.groups))
  var group: String?
}
