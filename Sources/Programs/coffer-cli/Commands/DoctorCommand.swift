internal import ArgumentParser
internal import Coffer
internal import CofferTerminal
internal import CofferVault

struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Find what weakens the protection of this vault on this machine, and say how to fix it.",
    discussion: """
      Examines what keeps other programs of this user from each app's keys, the programs that root has installed and the \
      members of their groups, files that other users can open, the agent, and the bridges for other programs. It changes nothing, \
      and needs no passphrase.

      Exits with 1 if it finds a problem. Advice, such as to install an app's program, does not count as one.
      """)
  @Flag(help: "Print JSON.")
  var json = false

  /// What is examined, in this order.
  private static let checks: [any DoctorCheck] = [
    EnforcementCheck(), InstallationCheck(), FileCheck(), AgentCheck(), BridgeCheck(),
  ]

  func run() throws {
    let scene = try DoctorScene.read(LocalVault.openForReading(warn: Terminal.printError))
    var found: [(check: String, finding: Finding)] = []
    for check in Self.checks {
      found += try check.findings(in: scene).map { (type(of: check).name, $0) }
    }
    if json {
      try Output.json(found.map { (JSONObject(dictionaryLiteral: ("check", $0.check))).including($0.finding) })
    } else if found.isEmpty {
      try Output.line("Nothing was found that weakens the protection of this vault here.")
    } else {
      for (_, finding) in found {
        try Output.line("\(finding.severity == .problem ? "Problem" : "Advice"): \(Output.cell(finding.subject))")
        try Output.line("    \(Output.cell(finding.message))")
        try Output.line("    \(Output.cell(finding.fix))")
      }
    }
    guard !found.contains(where: { $0.finding.severity == .problem }) else { throw ExitCode(1) }
  }
}
