internal import ArgumentParser

/// The exchange of a new machine that was invited, for `coffer clone --invite`.
struct InvitationCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "invitation", abstract: "Exchange request and answer of an invitation.", shouldDisplay: false,
    subcommands: [InvitationJoinCommand.self, InvitationLeaveCommand.self])
}
