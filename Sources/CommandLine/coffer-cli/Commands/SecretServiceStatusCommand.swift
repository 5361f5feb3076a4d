internal import ArgumentParser
internal import CofferAgent
internal import CofferTerminal
internal import CofferVault

struct SecretServiceStatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show which program answers as the Secret Service, and how to change that.",
    discussion: "It starts no program: a Secret Service that nobody has needed yet has no owner.")
  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let installation = try SecretServiceInstallation.find()
    let report = try SecretServiceProgram.report()
    let owner = report.process(owning: SecretServiceReport.secretsName).map { SecretServiceOwner(process: $0) }
    let portal = report.process(owning: SecretServiceReport.portalName)
    let files = installation.installed
    let activation = SecretServiceInstallation.activation?.path
    let activatesCoffer = SecretServiceInstallation.activatesCoffer
    let replacing = owner?.replacingCommands ?? (files.isEmpty ? ["coffer secret-service install"] : [])
    guard !json else {
      return try Output.json(object: [
        "isInstalled": !files.isEmpty, "files": files, "hasBus": report.hasBus,
        "owner": owner.map { ["process": $0.process, "program": $0.name, "isCoffer": $0.isCoffer] as JSONObject },
        "portalProcess": portal, "activationFile": activation, "activatesCoffer": activatesCoffer,
        "switching": replacing, "switchingBack": files.isEmpty ? [] : Self.returning.map(\.command),
      ])
    }
    var rows = [
      [
        "Secret Service",
        owner?.words ?? (report.hasBus ? "not running" : "no session bus (run this in the desktop's session)"),
      ],
      [
        "Started by the bus",
        activatesCoffer.map { $0 ? "Coffer" : "another program" }.map { "\($0), \(Output.cell(activation ?? ""))" }
          ?? "no program",
      ],
      ["Portal for Flatpaks", portal.map { "Coffer, process \($0)" } ?? "not running"],
    ]
    rows += files.map { ["File", Output.cell($0)] }
    try Output.table(rows)
    if !replacing.isEmpty {
      try Output.line("To let Coffer answer:")
      for command in replacing { try Output.line("    \(command)") }
    }
    guard !files.isEmpty else { return }
    try Output.line("To switch back:")
    for (program, command) in Self.returning {
      try Output.line("    \(command)\(program.map { "    (for \($0))" } ?? "")")
    }
  }

  private static var returning: [(program: String?, command: String)] {
    [(nil, "coffer secret-service remove")]
      + SecretServiceOwner.returningCommands.map { (Optional($0.program), $0.command) }
  }
}
