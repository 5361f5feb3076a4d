internal import ArgumentParser
internal import Coffer
internal import CofferTerminal
internal import CofferVault

struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Find what is wrong with this vault on this machine or weakens its protection, and say how to fix it.",
    discussion: """
      Examines what keeps other programs of this user from each app's keys, the programs that root has installed and \
      the members of their groups, misspelt keys in plists, files that other users can open, the agent, the bridges \
      for other programs, the store with all signatures, the clock, settings of the kernel, syncs, machines, missing \
      credentials, the service, scheduled backups and the Secret Service. It changes nothing without --fix, and needs \
      no passphrase. Whether the remote alone recovers the vault is checked with the vault key: \
      coffer vault-key check --remote

      Exits with 1 if it finds a problem that it does not fix. Advice, such as to install an app's program, does not \
      count as one.
      """)
  @Flag(
    help: """
      Fix what is fixed by one command without a decision: rights of files, the store, and the files of the Secret \
      Service.
      """)
  var fix = false
  @Flag(help: "Print JSON.")
  var json = false

  /// What is examined, in this order.
  private static let checks: [any DoctorCheck] = [
    EnforcementCheck(), InstallationCheck(), PlistCheck(), FileCheck(), AgentCheck(), BridgeCheck(), StoreComparison(),
    ClockCheck(), KernelCheck(),
    AttentionCheck(), ServiceCheck(), BackupScheduleCheck(), SecretServiceCheck(),
  ]

  func run() throws {
    var found: [(check: String, finding: Finding, isFixed: Bool)] = []
    func add(_ findings: [Finding], of check: String) throws {
      for finding in findings { found.append((check, finding, try fix && finding.repair?() == true)) }
    }
    var opened: LocalVault?
    do throws(VaultError) {
      opened = try LocalVault.openForReading(warn: Terminal.printError)
    } catch {
      // A store that other users can change is not opened before they have no right to do that.
      let files = error.code == .readOnly ? FileCheck.findings(in: try VaultFolder(.standard())) : []
      guard !files.isEmpty else { throw error }
      try add(files, of: FileCheck.name)
      if found.allSatisfy(\.isFixed) { opened = try LocalVault.openForReading(warn: Terminal.printError) }
    }
    if let opened {
      let scene = try DoctorScene.read(opened)
      for check in Self.checks { try add(check.findings(in: scene), of: type(of: check).name) }
    }
    if json {
      try Output.json(
        found.map {
          (JSONObject(dictionaryLiteral: ("check", $0.check), ("isFixed", $0.isFixed))).including($0.finding)
        })
    } else if found.isEmpty {
      try Output.line("Nothing was found that is wrong or weakens the protection of this vault here.")
    } else {
      for (_, finding, isFixed) in found {
        let word = isFixed ? "Fixed" : finding.severity == .problem ? "Problem" : "Advice"
        try Output.line("\(word): \(Output.cell(finding.subject))")
        try Output.line("    \(Output.cell(finding.message))")
        if !isFixed { try Output.line("    \(Output.cell(finding.fix))") }
      }
    }
    guard !found.contains(where: { $0.finding.severity == .problem && !$0.isFixed }) else { throw ExitCode(1) }
  }
}
