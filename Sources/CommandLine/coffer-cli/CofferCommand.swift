internal import ArgumentParser
internal import Coffer
internal import CofferPlatform
internal import CofferTerminal
internal import CofferVault
internal import CofferSystem

/// `coffer`: reads and writes items, and changes membership. It links no git: `coffer-sync` uses the network.
struct CofferCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "coffer",
    abstract: "A keychain with access groups that syncs through any git remote.",
    discussion: """
      Apps declare access groups in an entitlements plist and share items through them, on this machine and on every \
      machine that has cloned the vault.

      The vault is in the folder that COFFER_HOME names. Default: ~/.local/share/coffer. A machine without a vault, such as \
      one that runs tests, reads with the headless credential that COFFER_CREDENTIAL_FILE names, from the repository that \
      COFFER_REPOSITORY names.
      Exit codes: 0 done, 1 error, 2 usage, 3 not found, 4 not entitled, 5 locked or wrong passphrase or key, \
      6 altered or foreign vault, 7 network, 8 another sync is running, 130 interrupted.
      """,
    version: CofferVersion.text,
    // The page CommandReference of the documentation has the same groups.
    groupedSubcommands: [
      CommandGroup(
        name: "Vault",
        subcommands: [
          InitCommand.self, PairCommand.self, JoinCommand.self, CloneCommand.self, StatusCommand.self,
          PassphraseCommand.self, VaultKeyCommand.self, InspectCommand.self, UnlockCommand.self, LockCommand.self,
          AgentCommand.self,
        ]),
      CommandGroup(
        name: "Item",
        subcommands: [
          SetCommand.self, GetCommand.self, ListCommand.self, SearchCommand.self, ShowCommand.self, EditCommand.self,
          MoveCommand.self, CopyCommand.self, DeleteCommand.self, OTPCommand.self, CertificateCommand.self,
          KeyCommand.self, IdentityCommand.self, HistoryCommand.self, RestoreCommand.self, ConflictsCommand.self,
          ImportCommand.self, ExportCommand.self,
        ]),
      CommandGroup(
        name: "Secrets for programs",
        subcommands: [
          RunCommand.self, ReadCommand.self, InjectCommand.self, EnvCommand.self, BridgeCommand.self,
          SecurityCommand.self, SecretServiceCommand.self,
        ]),
      CommandGroup(
        name: "Sync", subcommands: [RemoteCommand.self, SyncCommand.self, ServiceCommand.self, CompactCommand.self]),
      CommandGroup(
        name: "Access",
        subcommands: [
          AppCommand.self, TeamCommand.self, ReceiptCommand.self, GroupCommand.self, WhyCommand.self, GraphCommand.self,
        ]),
      CommandGroup(name: "Machine", subcommands: [DeviceCommand.self, AdminCommand.self, LogCommand.self]),
      CommandGroup(
        name: "Repair",
        subcommands: [
          CheckCommand.self, DoctorCommand.self, HealthCommand.self, BackupCommand.self, RotateCommand.self,
          RefusedCommand.self,
        ]),
    ])
}

@main
enum Program {
  static func main() {
    let runsProgram = CommandLine.arguments.dropFirst().first == RunCommand.configuration.commandName
    // What follows `--` is for the other program.
    let end = (runsProgram ? GivenCommand.position(in: CommandLine.arguments) : nil) ?? CommandLine.arguments.count
    try? CurrentProcess.harden(beforeReplacement: runsProgram)
    signal(SIGPIPE, SIG_IGN)
    // A parent that ignores SIGCHLD passes this on, and the exit code of coffer-sync would be lost.
    signal(SIGCHLD, SIG_DFL)
    do {
      if let complaint = GivenText.complaint(before: end) {
        Terminal.printError(complaint)
        exit(2)
      }
      var arguments = Array(CommandLine.arguments.dropFirst())
      // Until here, other users could see it; a check of the remote can take a minute.
      for case let password? in CommandLine.arguments[..<end].dropFirst().map(URLPassword.init) {
        CurrentProcess.hideInArguments(password.escapedPassword)
      }
      // A link with this name.
      if CommandLine.arguments.first?.split(separator: "/").last.map(String.init) == SecurityCommand.programName {
        arguments.insert(SecurityCommand.programName, at: 0)
      }
      if arguments.first == ClipboardClearing.argument { return try ClipboardClearing.run(arguments) }
      if arguments == ["--version"] { return try StandardOutput.line(CofferVersion.text) }
      if var command = DirectCommand.find(in: arguments) { return try command.run() }
      if let unknown = UnknownCommand.find(in: arguments) {
        Terminal.printError(unknown.message)
        exit(2)
      }
      var command = try CofferCommand.parseAsRoot(arguments)
      try command.run()
    } catch let error as VaultError {
      fail(error)
    } catch let error as SyncFailure {
      exit(error.exitCode)
    } catch let error as ExitCode {
      exit(error.rawValue)
    } catch {
      let isUsage = CofferCommand.exitCode(for: error) == .validationFailure
      let message = CofferCommand.fullMessage(for: error)
      if CofferCommand.exitCode(for: error) == .success {
        let columns = TerminalWindow.find(on: STDOUT_FILENO)?.columns ?? 0
        show(HelpText.wrapped(message, to: columns > 0 ? columns : 80))
      }
      Terminal.printError(
        isUsage
          ? UsageMistake.line(CofferCommand.message(for: error), help: message) {
            OptionForm.advice(on: $0, in: Array(CommandLine.arguments.dropFirst()))
          } : message)
      exit(isUsage ? 2 : 1)
    }
  }
}

extension Program {
  private static func fail(_ error: VaultError) -> Never {
    StandardOutput.endIfClosed()
    Terminal.printError(error.description)
    exit(error.exitCode)
  }

  /// Prints what was asked for, such as a help text.
  private static func show(_ text: String) -> Never {
    do throws(VaultError) {
      try StandardOutput.line(text)
    } catch {
      fail(error)
    }
    exit(0)
  }
}
