internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem
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
  @OptionGroup var output: ReportOptions

  /// What is examined, in this order.
  private static let checks: [any DoctorCheck] = [
    EnforcementCheck(), InstallationCheck(), PlistCheck(), FileCheck(), AgentCheck(), BridgeCheck(), StoreComparison(),
    ClockCheck(), KernelCheck(),
    AttentionCheck(), ServiceCheck(), BackupScheduleCheck(), SecretServiceCheck(),
  ]

  func run() throws {
    var found: [(check: String, finding: Finding, isFixed: Bool)] = []
    func add(_ findings: [Finding], of check: String) {
      for var finding in findings {
        var isFixed = false
        do throws(VaultError) {
          if fix, let repair = finding.repair { isFixed = try repair() }
        } catch {
          finding.message += " It was not fixed: \(error.description.asSentence)"
        }
        found.append((check, finding, isFixed))
      }
    }
    // What was found and fixed before is reported, whatever a later check meets.
    func examine(_ check: String, _ examination: () throws(VaultError) -> [Finding]) {
      do throws(VaultError) {
        add(try examination(), of: check)
      } catch {
        let finding = Finding(
          .unexamined, .problem, subject: check,
          message: "This check of `coffer doctor` could not be done: \(error.message.asSentence)",
          fix: error.recoverySuggestion?.asSentence ?? "Run: coffer doctor")
        add([finding], of: check)
      }
    }
    var opened: LocalVault?
    do throws(VaultError) {
      opened = try LocalVault.openForReading(warn: Terminal.printError)
    } catch {
      // A store that other users can change is not opened before they have no right to do that.
      let files = error.code == .readOnly ? FileCheck.findings(in: try VaultFolder(.standard())) : []
      guard !files.isEmpty else { throw error }
      add(files, of: FileCheck.name)
      if found.allSatisfy(\.isFixed) {
        examine(FileCheck.name) { () throws(VaultError) in
          opened = try LocalVault.openForReading(warn: Terminal.printError)
          return []
        }
      }
    }
    if let opened {
      do throws(VaultError) {
        let scene = try DoctorScene.read(opened)
        for check in Self.checks {
          examine(type(of: check).name) { () throws(VaultError) in try check.findings(in: scene) }
        }
      } catch {
        guard !found.isEmpty else { throw error }
        examine("vault") { () throws(VaultError) in throw error }
      }
    }
    if output.json {
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

/// One kind of what `coffer doctor` examines. It reads, and changes nothing.
protocol DoctorCheck: Sendable {
  /// The word for it in the output.
  static var name: String { get }

  /// Examines the machine. `scene` is what all checks look at.
  func findings(in scene: DoctorScene) throws(VaultError) -> [Finding]
}

/// What the checks look at.
struct DoctorScene: Sendable {
  let local: LocalVault
  let facts: AccessFacts
  let overview: Overview

  static func read(_ local: LocalVault) throws(VaultError) -> DoctorScene {
    DoctorScene(
      local: local, facts: try AccessFacts.read(from: local),
      overview: try Overview.read(from: local, checksStore: false))
  }
}

/// Something on this machine that weakens what Coffer promises, and how to put it right.
struct Finding: Encodable {
  enum Severity: String, Encodable, Sendable {
    /// What should be is not: a key can be read that should not be, or something does not work.
    case problem
    /// All is as it was set up, and could be stronger.
    case advice
  }

  /// What can be found. A test carries out the advice of each kind that has a command.
  enum Kind: String, CaseIterable, Sendable {
    case unexamined
    case ownerKeysOpen, lostCredentialFile, forbiddenCredential, openCredential, openOwnCredential,
      openOwnerOfInstalled,
      unusableCredential
    case installation, misspeltKey
    case fileOwner, fileMode
    case agentFolder, agentIgnoresScreen, agentSilent
    case bridgeFile, bridgePart, bridgeProgramGone, bridgeNotExecutable, bridgeShadowed, bridgeNotInPath,
      bridgeOldClient,
      bridgeHiddenFile, bridgeHidesFile, bridgeOtherHelper, bridgeForgottenHelpers, bridgeProfile, bridgeSocket
    case store, clock
    case dumpablePrograms, noDialogCopies
    case service
    case backupFailed, backupTimer, backupLate
    case desktopGroup, secretServiceFiles, secretServiceOther, secretServiceActivation
  }

  /// The name of the kind: a ``Kind`` or, for what the overview of the inspector shows too, one of `Attention`.
  let kind: String
  let severity: Severity
  /// What was examined: an app, a file or a program.
  let subject: String
  /// One sentence.
  var message: String
  /// An instruction, with the command.
  let fix: String
  /// Fixes it as `fix` says, if nobody has to decide anything; nil if somebody has. Returns whether nothing is left to
  /// do.
  var repair: (() throws(VaultError) -> Bool)?

  private enum CodingKeys: String, CodingKey {
    case kind, severity, subject, message, fix
  }
}

extension Finding {
  init(
    _ kind: Kind, _ severity: Severity, subject: String, message: String, fix: String,
    repair: (() throws(VaultError) -> Bool)? = nil
  ) {
    self.init(
      kind: kind.rawValue, severity: severity, subject: subject, message: message, fix: fix, repair: repair)
  }
}

extension [Finding] {
  /// What is found if the program that a bridge's command runs is gone; nothing if it is there.
  static func missingProgram(
    of command: String, in subject: String, install: @autoclosure () -> String
  ) -> [Finding] {
    guard let program = command.firstShellWord, !FileManager.default.isExecutableFile(atPath: program) else {
      return []
    }
    return .problem(
      .bridgeProgramGone, subject: subject, message: "It runs \(program), which does not exist any more.",
      fix: "Install Coffer there, or run: \(install())")
  }

  /// One problem.
  static func problem(
    _ kind: Finding.Kind, subject: String, message: String, fix: String,
    repair: (() throws(VaultError) -> Bool)? = nil
  ) -> [Finding] {
    [Finding(kind, .problem, subject: subject, message: message, fix: fix, repair: repair)]
  }

  /// One piece of advice.
  static func advice(_ kind: Finding.Kind, subject: String, message: String, fix: String) -> [Finding] {
    [Finding(kind, .advice, subject: subject, message: message, fix: fix)]
  }
}
