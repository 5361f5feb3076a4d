internal import ArgumentParser
internal import CofferTerminal

struct AgentInstallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "install", abstract: "Let systemd start the agent when a command needs it.",
    discussion: """
      systemd then listens for the agent of this user, and ends it at logout. On a system without systemd, `coffer unlock` \
      starts the agent.
      """)
  @Flag(help: "Print the units, and install nothing.")
  var print = false
  @Flag(help: "Print JSON.")
  var json = false

  private struct Report: Encodable {
    let files: [String]
  }

  func validate() throws {
    if print, json { throw ValidationError("--print prints the units, which are no JSON") }
  }

  func run() throws {
    let service = try AgentService.find()
    if print {
      for file in service.files {
        try Output.line("# \(file.name)")
        try Output.line(file.text)
      }
      return
    }
    let files = try service.install()
    guard !json else { return try Output.json(Report(files: files)) }
    for file in files { try Output.line("Wrote \(Output.cell(file))") }
  }
}
