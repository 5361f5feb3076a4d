internal import ArgumentParser

struct AgentCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "agent", abstract: "Show and install the agent that keeps keys after `coffer unlock`.",
    discussion: """
      The agent runs as the current user. `coffer unlock` starts it; with `coffer agent install`, systemd starts it when a \
      command needs it. It ends by itself after ten minutes without keys.
      """,
    subcommands: [
      AgentStatusCommand.self, AgentLogCommand.self, AgentInstallCommand.self, AgentRemoveCommand.self,
    ])
}
