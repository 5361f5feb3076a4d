internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

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

struct AgentStatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show which vaults the agent has unlocked, and which process trees have leases.")
  @OptionGroup var output: ReportOptions

  func run() throws {
    let status = try AgentClient.status()
    let files = (try? AgentService.find())?.installed ?? []
    guard !output.json else {
      let object: JSONObject = ["isRunning": status.process != nil, "files": files]
      return try Output.json(object.including(status))
    }
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

struct AgentLogCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "Show when the agent was unlocked and locked, and what was allowed or refused.",
    discussion: """
      The log is a file in the vault's folder, without secrets. It keeps the last entries, up to 1 MiB. Every program of this \
      user can change it.
      """)
  @OptionGroup var output: ReportOptions

  func run() throws {
    let entries = try AgentLog(of: VaultFolder(.standard())).entries()
    guard !output.json else { return try Output.json(entries) }
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

struct AgentInstallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "install", abstract: "Let systemd start the agent when a command needs it.",
    discussion: """
      systemd then listens for the agent of this user, and ends it at logout. On a system without systemd, `coffer unlock` \
      starts the agent.
      """)
  @OptionGroup var options: UnitOptions

  func run() throws {
    let service = try AgentService.find()
    guard !options.print else { return try UnitOptions.show(service.files) }
    let files = try service.install()
    guard !options.json else { return try Output.json(object: ["files": files]) }
    try UnitOptions.showWritten(files)
  }
}

struct AgentRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "End the agent that systemd starts, and delete its units.")
  @OptionGroup var output: ReportOptions

  func run() throws {
    try UnitOptions.showDeleted(
      AgentService.find().remove(), asJSON: output.json, ifNone: "The agent was not installed.")
  }
}

/// The agent as a service of the current user, which systemd starts when a command connects.
struct AgentService {
  private let program: String
  private let services: UserServices

  private static let socketName = "coffer-agent.socket"
  private static let serviceName = "coffer-agent.service"
  private static let mark = UserUnits.mark(install: "coffer agent install", remove: "coffer agent remove")

  /// Finds the program. Throws `io` if it is missing.
  static func find() throws(VaultError) -> AgentService {
    AgentService(
      program: try SiblingProgram.locate(AgentProgram.name),
      services: try UserServices(alternative: "`coffer unlock` starts the agent without systemd"))
  }

  /// The files, with the enabled unit at the end.
  var files: [ServiceUnits.File] {
    [ServiceUnits.File(name: Self.serviceName, text: service), ServiceUnits.File(name: Self.socketName, text: socket)]
  }

  private var service: String {
    """
    \(Self.mark)
    [Unit]
    Description=Coffer: agent that keeps the keys of unlocked vaults
    Requires=\(Self.socketName)

    [Service]
    Type=exec
    ExecStart=\(ServiceUnits.quoted(program))
    \(ServiceUnits.confinement(locksMemory: true, addressFamilies: "AF_UNIX"))

    """
  }

  private var socket: String {
    """
    \(Self.mark)
    [Unit]
    Description=Coffer: socket of the agent that keeps the keys of unlocked vaults

    [Socket]
    ListenSequentialPacket=%t/coffer/agent
    SocketMode=0600
    DirectoryMode=0700

    [Install]
    WantedBy=sockets.target

    """
  }

  private var units: UserUnits { UserUnits(services: services, names: files.map(\.name), mark: Self.mark) }

  /// The paths of the files that are installed.
  var installed: [String] { units.installed }

  /// Installs the units, and lets systemd listen.
  func install() throws(VaultError) -> [String] {
    try services.checkIsManaged()
    // An agent that was started without systemd has the socket.
    if installed.isEmpty, let process = try AgentClient.status().process {
      throw VaultError(
        .busy, "an agent runs that `coffer unlock` has started",
        recoverySuggestion: "end it with `kill \(process)`, then run: coffer agent install")
    }
    // An agent that runs keeps its keys.
    try units.install(files, stoppingFormer: false)
    return installed
  }

  /// Stops the agent and deletes the units. Returns the paths of the files; none if it was not installed.
  func remove() throws(VaultError) -> [String] { try units.remove() }
}
