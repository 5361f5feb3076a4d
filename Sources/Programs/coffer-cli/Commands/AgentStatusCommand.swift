internal import ArgumentParser
internal import CofferAgent
internal import CofferPlatform
internal import CofferTerminal

struct AgentStatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show which vaults the agent has unlocked, and which process trees have leases.")
  @Flag(help: "Print JSON.")
  var json = false

  private struct Report: Encodable {
    let isRunning: Bool
    let process: Int32?
    let locksWithScreen: Bool
    let vaults: [AgentStatus.UnlockedVault]
    let leases: [AgentStatus.Lease]
    let files: [String]
  }

  func run() throws {
    let status = try AgentClient.status()
    let files = (try? AgentService.find())?.installed ?? []
    guard !json else {
      return try Output.json(
        Report(
          isRunning: status != nil, process: status?.process, locksWithScreen: status?.locksWithScreen ?? false,
          vaults: status?.vaults ?? [], leases: status?.leases ?? [], files: files))
    }
    var rows = [["Agent", status.map { "running, process \($0.process)" } ?? "not running (coffer unlock)"]]
    if let status {
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
