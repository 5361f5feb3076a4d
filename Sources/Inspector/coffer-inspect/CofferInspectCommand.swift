internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault
internal import Logging

/// `coffer-inspect`: shows the vault in a browser, over a server that only this machine reaches.
struct CofferInspectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "coffer-inspect",
    abstract: "Shows a vault in a browser.",
    discussion: "`coffer inspect` runs it.",
    version: CofferVersion.text)

  @OptionGroup var options: InspectOptions

  func run() throws {
    throw CleanExit.helpRequest(self)
  }

  /// Opens the vault, serves its pages and waits for the end.
  func serve() async throws {
    let inspector = try makeInspector()
    let server = try await InspectorServer.bind(inspector, port: options.port.map(Int.init) ?? 0, logger: logger)
    let termination = SignalObserver([SIGINT, SIGTERM, SIGHUP]) { inspector.end(.interrupted) }
    let locking = SignalObserver([SIGUSR1]) { inspector.lockOnRequest() }
    defer {
      termination.stop()
      locking.stop()
    }
    try Output.line(server.url)
    let file = announce(server)
    let cleaning = Task { await delete(file, after: server) }
    let reason = await server.run()
    cleaning.cancel()
    file?.delete()
    if let message = reason.message { Terminal.printNote(message) }
  }

  private func makeInspector() throws(VaultError) -> Inspector {
    let opening = VaultOpening(folder: VaultFolder(try .standard()), app: options.app)
    // A program that starts this also gets the address, and with it all that the pages show.
    try DeniedReads.check()
    var vault = try opening.openWithoutPassphrase()
    let requiresPassphrase = vault == nil
    if requiresPassphrase, options.passphrase.path == nil, !options.askInPage {
      // Without a terminal, the page asks for what the agent does not have.
      let keeper = AgentKeeper(
        for: .show, prompt: .init(canAsk: { Terminal.canAsk }, announce: Terminal.printNote))
      let local = try LocalVault.open(opening.folder)
      let source: PassphraseSource =
        asksInPage ? .unavailable : options.passphrase.source(of: local, alternative: "use --ask-in-page")
      do throws(VaultError) {
        vault = try opening.open(source, keeper: keeper)
      } catch {
        guard asksInPage, error.code == .locked else { throw error }
      }
    } else if requiresPassphrase, !asksInPage {
      let local = try LocalVault.open(opening.folder)
      vault = try opening.open(options.passphrase.source(of: local, alternative: "use --ask-in-page"))
    }
    return Inspector(
      opening, vault: vault, requiresPassphrase: requiresPassphrase, idleTime: options.idle.duration,
      mark: makeMark(opening.folder))
  }

  /// Lets `coffer lock` find this process. On a disk that is full or cannot be written, the pages work all the same.
  private func makeMark(_ folder: VaultFolder) -> InspectLock? {
    do throws(VaultError) {
      return try InspectLock.acquire(in: folder)
    } catch {
      Terminal.printError(
        "`coffer lock` cannot lock this process: \(error.message); lock it with: kill -USR1 \(getpid())")
      return nil
    }
  }

  /// Whether the page asks for the passphrase: if the user wants that, or nobody can be asked here.
  private var asksInPage: Bool {
    if options.askInPage { return true }
    return options.passphrase.path == nil && !Terminal.canAsk
  }

  /// Opens the browser, and says how to end.
  private func announce(_ server: InspectorServer) -> RedirectFile? {
    let environment = CurrentProcess.environment
    let launch = options.noOpen ? nil : BrowserLaunch.find(in: environment)
    let file = launch?.open(server.url, environment: environment)
    Terminal.printNote(
      file == nil
        ? "Open this address in a browser on this machine. It works once." : "If no browser appears, open this address."
    )
    let lock = server.inspector.requiresPassphrase ? "Locks" : "Ends"
    Terminal.printNote("\(lock) after \(options.idle.text) without use. To end: Ctrl-C")
    return file
  }

  /// Deletes the file that has led the browser to the server as soon as it has, or after a minute.
  private func delete(_ file: RedirectFile?, after server: InspectorServer) async {
    guard let file else { return }
    await server.waitForToken(atMost: .seconds(60))
    file.delete()
  }

  private var logger: Logger {
    var logger = Logger(label: "coffer-inspect") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = options.verbose ? .debug : .critical
    return logger
  }
}

@main
enum Program {
  static func main() async {
    if let complaint = GivenText.complaint {
      Terminal.printError(complaint)
      exit(2)
    }
    FreedMemory.overwrite()
    try? CurrentProcess.harden()
    signal(SIGPIPE, SIG_IGN)
    // While the terminal asks for the passphrase, nothing is unlocked, and the screen's lock must not end the program.
    signal(SIGUSR1, SIG_IGN)
    // A parent that ignores SIGCHLD passes this on, and the exit code of coffer-sync would be lost.
    signal(SIGCHLD, SIG_DFL)
    do {
      let command = try CofferInspectCommand.parse()
      try await command.serve()
      exit(0)
    } catch let error as VaultError {
      Terminal.printError(error.description)
      exit(error.exitCode)
    } catch {
      let code = CofferInspectCommand.exitCode(for: error)
      guard code == .validationFailure else { CofferInspectCommand.exit(withError: error) }
      Terminal.printError(
        UsageMistake.line(
          CofferInspectCommand.message(for: error), help: CofferInspectCommand.fullMessage(for: error)))
      exit(code.rawValue)
    }
  }
}

/// Memory that was freed, and what it still says.
///
/// A page is made of hundreds of strings: names of items, the markup around them, the request that asked for them.
/// Swift frees them without overwriting them, so that a lock would leave names in memory that belongs to nothing. glibc
/// can overwrite memory when it is freed. It reads that setting before a program begins, and keeps small pieces in
/// caches of threads which the setting does not reach unless they are switched off, too.
///
/// The alternative was to replace the process at each lock. It would have to hand its sockets and sessions over, and to
/// give up the requests and the sync that are running.
enum FreedMemory {
  private static let variable = "GLIBC_TUNABLES"
  private static let settings = "glibc.malloc.perturb=165:glibc.malloc.tcache_count=0"

  /// Starts this program again with the settings, unless they are in effect. To be called first, before there is
  /// anything to be overwritten. Other C libraries ignore the settings.
  static func overwrite() {
    #if canImport(Glibc)
      let given = CurrentProcess.variable(variable)
      guard let given, given == settings || given.hasSuffix(":" + settings) else {
        unsafe _ = setenv(variable, given.map { "\($0):\(settings)" } ?? settings, 1)
        // Without the settings, pages work as well. By its path, and not as /proc/self/exe: the kernel names a process
        // after the file that it was started from, and advice to the user repeats the program's name.
        try? CurrentProcess.replace(
          with: CurrentProcess.executablePath, arguments: Array(CommandLine.arguments.dropFirst()))
        return
      }
      // Not for the browser, and the other programs that this one starts.
      if given == settings {
        unsafe _ = unsetenv(variable)
      } else {
        unsafe _ = setenv(variable, String(given.dropLast(settings.utf8.count + 1)), 1)
      }
    #endif
  }
}
