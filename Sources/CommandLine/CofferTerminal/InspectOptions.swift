package import ArgumentParser

/// The options of `coffer inspect`, which `coffer` passes on to `coffer-inspect`.
package struct InspectOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The port to listen on. Default: a random free one.", valueName: "port"),
    transform: Self.port)
  package var port: UInt16?

  @Flag(help: "Print the address, and do not open a browser.")
  package var noOpen = false

  @Option(
    help: ArgumentHelp(
      "Show what this app can read, with its credential here: a full application identifier, or a bundle identifier.",
      discussion: "Default: show everything, as the owner.", valueName: "app"))
  package var app: String?

  @Option(
    help: ArgumentHelp(
      "Lock after this time without use: 90s, 10m or 1h.",
      discussion: """
        The keys then leave memory, and the page asks for the passphrase. After the same time again, at least a minute, \
        the program ends; if the vault needs no passphrase, it ends at once.
        """, valueName: "time"), transform: Self.idleTime)
  package var idle = IdleTime.standard

  @Flag(help: "Ask for the passphrase in the page instead of the terminal.")
  package var askInPage = false

  @Flag(help: "Log each request, without what was searched for or shown.")
  package var verbose = false

  @OptionGroup package var passphrase: PassphraseOptions

  package init() {}

  package func validate() throws {
    if askInPage && passphrase.passphraseFile != nil {
      throw ValidationError("--ask-in-page and --passphrase-file exclude each other")
    }
  }

  private static func port(_ text: String) throws -> UInt16 {
    guard let port = UInt16(text), port > 0 else { throw ValidationError("use a number from 1 to 65535") }
    return port
  }

  private static func idleTime(_ text: String) throws -> IdleTime {
    guard let time = IdleTime(text) else {
      throw ValidationError("use a time from 1 second to 24 hours, such as 90s, 10m or 1h")
    }
    return time
  }

  /// The command line of these options.
  package var arguments: [String] {
    var arguments: [String] = []
    if idle.seconds != IdleTime.standard.seconds { arguments += ["--idle", "\(idle.seconds)s"] }
    if let port { arguments += ["--port", "\(port)"] }
    if noOpen { arguments.append("--no-open") }
    if let app { arguments.append("--app=\(app)") }
    if askInPage { arguments.append("--ask-in-page") }
    if verbose { arguments.append("--verbose") }
    if let file = passphrase.passphraseFile { arguments.append("--passphrase-file=\(file)") }
    return arguments
  }
}
