internal import ArgumentParser
internal import CofferAgent
internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

/// `coffer-agent`: keeps the keys that a passphrase has opened, and opens and signs with them for the commands of one
/// user.
struct CofferAgentCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "coffer-agent",
    abstract: "Keeps the keys of vaults while they are unlocked.",
    discussion: "`coffer unlock` and systemd start it; `coffer agent` shows and installs it.",
    version: CofferVersion.text)

  @Flag(help: "Go on in the background, and return as soon as commands can connect.")
  var background = false

  func run() throws {
    // Before any other thread begins.
    let report = try background ? BackgroundProcess.enter() : nil
    let listener: AgentListener
    do throws(VaultError) {
      guard let found = try AgentListener.open(in: .standard) else {
        // Another agent runs.
        report?.report(0)
        return
      }
      listener = found
    } catch {
      complain(error)
      report?.report(error.exitCode)
      throw ExitCode(error.exitCode)
    }
    let server = AgentServer(listener)
    server.watch()
    report?.report(0)
    server.run()
  }

  private func complain(_ error: VaultError) { StandardError.line("coffer-agent: \(error.description)") }
}

@main
enum Program {
  static func main() {
    try? CurrentProcess.harden()
    // Each connection whose request waits has several.
    try? CurrentProcess.raiseDescriptorLimit()
    umask(0o077)
    signal(SIGPIPE, SIG_IGN)
    signal(SIGCHLD, SIG_DFL)
    do {
      var command = try CofferAgentCommand.parseAsRoot()
      try command.run()
    } catch {
      let code = CofferAgentCommand.exitCode(for: error)
      guard code == .validationFailure else { CofferAgentCommand.exit(withError: error) }
      let mistake = UsageMistake.line(
        CofferAgentCommand.message(for: error), help: CofferAgentCommand.fullMessage(for: error))
      StandardError.line("coffer-agent: \(mistake)")
      exit(code.rawValue)
    }
  }
}
