internal import ArgumentParser
internal import CofferAgent
internal import CofferPlatform
internal import CofferTerminal

struct AgentStatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show which vaults the agent has unlocked, and which process trees have leases.")
  @Flag(help: "Print JSON.")
  var json = false

  /// The state, with what else the command prints.
  private struct Report: Encodable {
    let status: AgentStatus
    let files: [String]

    private enum CodingKeys: CodingKey {
      case isRunning, files
    }

    func encode(to encoder: any Encoder) throws {
      try status.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(status.process != nil, forKey: .isRunning)
      try container.encode(files, forKey: .files)
    }
  }

  func run() throws {
    let status = try AgentClient.status()
    let files = (try? AgentService.find())?.installed ?? []
    guard !json else { return try Output.json(Report(status: status, files: files)) }
    var rows = [["Agent", status.process.map { "running, process \($0)" } ?? "not running (coffer unlock)"]]
    if status.process != nil {
      rows.append(["Locks with the screen", status.locksWithScreen ? "yes" : "no: systemd's logind is not there"])
      if status.vaults.isEmpty { rows.append(["Unlocked", "nothing"]) }
      for vault in status.vaults {
        let confirms = vault.confirms ? ", each use confirmed" : ""
        rows.append([
          "Unlocked",
          "\(Output.cell(vault.vault)), \(vault.keyCount) key\(vault.keyCount == 1 ? "" : "s"), locks "
            + "\(Output.date(vault.locks))\(confirms)",
        ])
      }
      for lease in status.leases {
        rows.append([
          "Lease",
          "\(Output.cell(lease.group)) for \(Output.cell(lease.program)) (\(lease.process)) until \(Output.date(lease.ends))",
        ])
      }
    }
    rows += files.map { ["File", Output.cell($0)] }
    try Output.table(rows)
  }
}
