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
  @Flag(help: "Let the instance that runs drop the keys that a passphrase has opened, and start nothing.")
  var lock = false
  @Flag(help: "Serve apps in Flatpaks, by the entitlements that are installed with them, and be no secret service.")
  var apps = false
  @Flag(
    help: "Look for an item as any other program does, with the attributes on standard input, which are a JSON object.")
  var lookUp = false

  /// The most bytes that the attributes of an item have.
  private static let maximumAttributesByteCount = 1 << 20

  func validate() throws {
    let count = [report, reloadBus, lock, lookUp, apps].count { $0 }
    guard count == 0 || (count == 1 && !replace && !ask) else {
      throw ValidationError("--report, --reload-bus, --lock, --look-up and --apps stand alone")
    }
  }

  func run() throws {
    if reloadBus { return SecretServiceReport.reloadBus() }
    if lock { return try StandardOutput.line(String(ServiceCalls.lockKeys() ?? 0)) }
    if lookUp {
      let input = Descriptor(owning: dup(STDIN_FILENO)).readToEnd(maximumByteCount: Self.maximumAttributesByteCount)
      guard let attributes = try? JSONDecoder().decode([String: String].self, from: Data(input)) else {
        throw ValidationError("standard input is no JSON object of texts")
      }
      return try StandardOutput.line(ServiceCalls.lookUp(attributes).rawValue)
    }
    if report {
      let json = try JSONEncoder().encode(SecretServiceReport.read())
      return try StandardOutput.line(String(decoding: json, as: UTF8.self))
    }
    do throws(ServiceStartError) {
      try apps ? AppBrokerRun.run() : ServiceRun(replacesOwnInstance: replace, asks: ask).run()
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
