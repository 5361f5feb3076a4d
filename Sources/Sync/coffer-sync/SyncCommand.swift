internal import ArgumentParser
internal import CofferExchange
internal import CofferGit
internal import CofferPlatform
internal import CofferSystem
internal import CofferVault
internal import Dispatch

struct SyncCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "Fetch the changes of other machines and push those of this one.")
  @OptionGroup var options: VaultOptions
  @OptionGroup var remote: RemoteAccessOptions
  @Flag(help: "Print JSON.")
  var json = false
  @Flag(help: "Print the progress on standard error, as lines of JSON.")
  var progress = false
  @Flag(help: "Leave the problems unread, so that the next sync names them again.")
  var leaveUnread = false
  @Flag(help: "Go on: sync at once, shortly after each change on this machine, and at the interval.")
  var watch = false
  @Option(
    help: ArgumentHelp(
      "With --watch, the time between two syncs, up to 20 % shorter or longer, such as 90s, 15m or 2h. Default: 15m.",
      valueName: "time"))
  var interval: SyncInterval?

  /// Returns the command of a plain command line, or nil to read it with ArgumentParser; see ``PlainArguments``.
  static func read(_ arguments: ArraySlice<String>) -> SyncCommand? {
    guard arguments.first == "sync",
      let plain = PlainArguments(
        arguments.dropFirst(), options: ["--vault"], flags: ["--json", "--progress", "--leave-unread", "--verbose"]),
      plain.words.isEmpty
    else { return nil }
    var options = VaultOptions()
    options.vault = plain["--vault"]
    options.verbose = plain.has("--verbose")
    var command = SyncCommand()
    command.options = options
    command.remote = .defaults
    command.json = plain.has("--json")
    command.progress = plain.has("--progress")
    command.leaveUnread = plain.has("--leave-unread")
    command.watch = false
    command.interval = nil
    return command
  }

  func validate() throws {
    if watch, json || progress { throw ValidationError("--watch prints neither a report nor the progress") }
    if !watch, interval != nil { throw ValidationError("--interval is for --watch") }
  }

  func run() throws {
    if watch { return try Program.watch(options, remote.access, every: interval ?? .standard) }
    try options.sync(
      with: remote, asJSON: json, progress: progress, leavingUnread: leaveUnread
    ) { (sync, show) throws(VaultError) in
      try sync.run(progress: show)
    }
  }
}

extension SyncInterval: ExpressibleByArgument {
  init?(argument: String) { self.init(argument) }
}

struct CompactCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact", abstract: "Sync, and continue the vault on a new branch that begins with a snapshot.")
  @OptionGroup var options: VaultOptions
  @Flag(help: "Keep the branch with the history until now.")
  var keep = false
  @Flag(help: "Print JSON.")
  var json = false
  @Flag(help: "Print the progress on standard error, as lines of JSON.")
  var progress = false
  @OptionGroup var remote: RemoteAccessOptions

  func run() throws {
    try options.sync(with: remote, asJSON: json, progress: progress) { (sync, show) throws(VaultError) in
      try sync.compact(keepingBranch: keep, progress: show)
    }
  }
}

extension VaultOptions {
  /// Not for lines of JSON, which have no place for it.
  private static let reportWait: @Sendable (String) -> Void = { holder in
    Program.printNote("Waiting for another sync: \(holder). Ctrl-C ends the wait.")
  }

  /// Runs a sync, shows its progress, and prints its report or its error. `body` runs it, and passes the progress on.
  /// With `printsJSON`, the report, or the error, is printed as JSON, and with `printsProgress` the progress as lines
  /// of JSON. A sync that fails prints what earlier ones have found, except as JSON. What was printed is not named
  /// again, unless `leavesUnread`.
  func sync(
    with remote: RemoteAccessOptions, asJSON printsJSON: Bool, progress printsProgress: Bool,
    leavingUnread leavesUnread: Bool = false,
    _ body: (VaultSync, @escaping @Sendable (SyncStep) -> Void) throws(VaultError) -> SyncReport
  ) throws {
    let report: SyncReport
    let start = Date()
    do throws(VaultError) {
      let meter = ProgressMeter(printsJSON: printsProgress)
      defer { meter.finish() }
      let interruption = Interruption.observe()
      let sync = try VaultSync(
        folder, access: remote.access, cancellation: interruption.cancellation, logger: logger,
        reportWait: printsProgress ? nil : Self.reportWait)
      report = try body(sync) { meter.show($0) }
    } catch {
      // A program decides by the code of the error, which standard error does not have.
      if printsJSON { try StandardOutput.write(SyncError(error).json()) }
      // If every sync fails, nothing else would name them.
      if !printsJSON, !leavesUnread, error.code != .busy { try? printUnread(since: start) }
      throw error
    }
    let result = Result { try report.print(asJSON: printsJSON) }
    // If that fails, the next sync names them again.
    if !leavesUnread, !report.problems.isEmpty { try? LocalVault.open(folder).markRead(report.problems) }
    try result.get()
  }

  /// Prints the problems that nobody has read, those of this sync without a time.
  private func printUnread(since start: Date) throws(VaultError) {
    let local = try LocalVault.open(folder)
    let unread = try local.unreadProblems().problems
    for problem in unread { Program.printError(problem.omittingTime(since: start).line) }
    try local.markRead(unread)
  }
}

extension Program {
  /// Syncs by itself until SIGINT, SIGTERM or SIGHUP.
  static func watch(
    _ options: VaultOptions, _ access: RemoteAccess, every interval: SyncInterval
  ) throws(VaultError) {
    let watcher = try SyncWatcher.prepare(
      options.folder, interval: interval.duration, access: access, logger: options.logger, say: { printEvent($0) })
    let observer = Interruption.observe(
      { watcher.stop() },
      orAtTimeout: {
        // Nothing is lost.
        printEvent("stopped in the middle of a sync")
        exit(0)
      })
    defer { observer.stop() }
    try watcher.run()
  }
}

extension SyncReport {
  /// Prints the report, and its problems to standard error. Throws an exit code if there are problems.
  func print(asJSON isJSON: Bool) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    let text = isJSON ? try encoder.encode(self) : Data(summary.joined(separator: "\n").utf8)
    var outputError: VaultError?
    do throws(VaultError) {
      try StandardOutput.write(text + Data("\n".utf8))
    } catch {
      // The problems are named all the same.
      outputError = error
    }
    for problem in problems { Program.printError(problem.line) }
    if membershipDiscarded > 0 && !isJSON {
      Program.printError(
        "\(membershipDiscarded) membership changes of this machine were discarded because another machine's came first; "
          + "make them again")
    }
    if let membershipObstacle, !isJSON {
      Program.printError(
        "the change of membership was not pushed: \(membershipObstacle); a later sync will push it")
    }
    if !problems.isEmpty { throw ExitCode(6) }
    if let outputError { throw outputError }
  }
}

/// Turns SIGINT (Ctrl-C), SIGTERM and SIGHUP into a cancellation. The transfer then ends at once, together with its ssh
/// or git: these lead their own process group, which does not receive the signal. Work on this machine that does not
/// end soon is given up with the process: a transaction that is not complete has changed nothing.
final class Interruption {
  let cancellation: Cancellation
  private let observer: SignalObserver

  /// How long the work may take to end after a signal.
  private static let stopTimeout = DispatchTimeInterval.seconds(3)
  /// The exit code of a program that SIGINT has ended.
  private static let exitCode: Int32 = 130

  private init(_ cancellation: Cancellation) {
    self.cancellation = cancellation
    observer = Self.observe({ cancellation.cancel() }, orAtTimeout: { _exit(Self.exitCode) })
  }

  /// Starts to observe the signals, for as long as the object exists.
  static func observe() -> Interruption { Interruption(Cancellation()) }

  /// Starts to observe the signals. `end` ends the work at a signal. `giveUp` ends the process if the work has not
  /// ended some seconds later: it may wait for another program that holds the vault's lock, or import much.
  static func observe(
    _ end: @escaping @Sendable () -> Void, orAtTimeout giveUp: @escaping @Sendable () -> Void
  ) -> SignalObserver {
    SignalObserver([SIGINT, SIGTERM, SIGHUP]) {
      end()
      DispatchQueue.global().asyncAfter(deadline: .now() + stopTimeout, execute: giveUp)
    }
  }
}
