internal import ArgumentParser
internal import CofferAgent
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct AgentLogCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "Show when the agent was unlocked and locked, and what was allowed or refused.",
    discussion: """
      The log is a file in the vault's folder, without secrets. It keeps the last entries, up to 1 MiB. Every program of this \
      user can change it.
      """)
  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let entries = try AgentLog(of: VaultFolder(.standard())).entries()
    guard !json else { return try Output.json(entries) }
    for entry in entries { try Output.line("\(Output.date(entry.time))  \(Self.words(for: entry))") }
    if entries.isEmpty { Terminal.printNote("The agent has not had keys of this vault.") }
  }

  private static func words(for entry: AgentLog.Entry) -> String {
    let what =
      switch entry.event {
      case .unlocked: "unlocked"
      case .locked: "locked"
      case .leaseGranted: "allowed"
      case .leaseDenied: "not allowed"
      case .refused: "refused"
      }
    var parts = [what]
    if entry.purpose == "show" { parts.append("to show") }
    if let groups = entry.groups { parts.append(groups.joined(separator: ", ")) }
    if let seconds = entry.seconds { parts.append("for \(counted(seconds: seconds))") }
    if let program = entry.program, let process = entry.process {
      parts.append("\(entry.event == .unlocked ? "by" : "to") \(program) (\(process))")
    }
    if let terminal = entry.terminal { parts.append("in \(terminal)") }
    if let parents = entry.startedBy, !parents.isEmpty { parts.append("started by \(parents.joined(separator: ", "))") }
    if let cause = entry.cause { parts.append("(\(cause))") }
    if let reason = entry.reason { parts.append("because: \(reason)") }
    return Output.cell(parts.joined(separator: " "))
  }
}
