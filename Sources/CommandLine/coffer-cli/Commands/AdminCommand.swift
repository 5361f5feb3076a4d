internal import ArgumentParser

struct AdminCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "admin", abstract: "List the admins of a vault, and make machines admins or members.",
    discussion: """
      A machine is an admin or a member. The owner of an admin changes the membership: registers apps, gives them to \
      machines, enrols members; and reads and writes every group. A member has only the apps that an admin has given to it.
      """,
    subcommands: [AdminAddCommand.self, AdminListCommand.self, AdminRemoveCommand.self])
}
