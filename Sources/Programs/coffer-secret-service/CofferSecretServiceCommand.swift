internal import ArgumentParser
internal import CofferAgent
internal import CofferPlatform
internal import CofferSecretService
internal import CofferSystem
internal import CofferVault

/// `coffer-secret-service`: the secret service of a desktop session, whose items are in the user's vault.
struct CofferSecretServiceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "coffer-secret-service",
    abstract: "Stores the passwords of desktop programs in Coffer: org.freedesktop.secrets on the session bus.",
    discussion: """
      D-Bus and systemd start it; `coffer secret-service install` sets that up. It runs in the foreground until it is ended \
      by SIGTERM, or the session ends.

      Only one program can be the secret service. If another one is (gnome-keyring, KWallet or KeePassXC), this one says \
      which, and ends with exit code 9.

      Examples:
        coffer-secret-service
        coffer-secret-service --replace
      """,
    version: CofferVersion.text)

  @Flag(help: "End an instance of this program that runs already, and take its place. No other program is ended.")
  var replace = false
  @Flag(
    help: "Ask a person before a program that nothing tells apart from others is answered, and again after an hour.")
  var ask = false
  @Flag(help: "Print as JSON who owns the names of this program on the session bus, and start nothing.")
  var report = false
  @Flag(help: "Let the session bus read again which programs it starts, and start nothing.")
  var reloadBus = false

  func validate() throws {
    guard !(report || reloadBus) || !(replace || ask || (report && reloadBus)) else {
      throw ValidationError("--report and --reload-bus stand alone")
    }
  }

  func run() throws {
    if reloadBus { return SecretServiceReport.reloadBus() }
    if report {
      let json = try JSONEncoder().encode(SecretServiceReport.read())
      return try StandardOutput.line(String(decoding: json, as: UTF8.self))
    }
    do throws(ServiceStartError) {
      try ServiceRun(replacesOwnInstance: replace, asks: ask).run()
    } catch {
      StandardError.line("coffer-secret-service: \(error.description)")
      throw ExitCode(error.exitCode)
    }
  }
}

@main
enum Program {
  static func main() {
    // It holds keys and passwords.
    try? CurrentProcess.harden()
    umask(0o077)
    signal(SIGPIPE, SIG_IGN)
    signal(SIGCHLD, SIG_DFL)
    do {
      var command = try CofferSecretServiceCommand.parseAsRoot()
      try command.run()
    } catch {
      let code = CofferSecretServiceCommand.exitCode(for: error)
      guard code == .validationFailure else { CofferSecretServiceCommand.exit(withError: error) }
      let mistake = UsageMistake.line(
        CofferSecretServiceCommand.message(for: error), help: CofferSecretServiceCommand.fullMessage(for: error))
      StandardError.line("coffer-secret-service: \(mistake)")
      exit(code.rawValue)
    }
  }
}
