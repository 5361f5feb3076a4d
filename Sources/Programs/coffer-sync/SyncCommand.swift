internal import ArgumentParser
internal import CofferVault
internal import CofferGit
internal import CofferExchange
internal import CofferSystem
internal import Foundation

struct SyncCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "Fetch the changes of other machines and push those of this one.")
  @OptionGroup var options: VaultOptions
  @OptionGroup var remote: RemoteAccessOptions
  @Flag(help: "Print JSON.")
  var json = false
  @Flag(help: "Print the progress on standard error, as lines of JSON.")
  var progress = false
  @Flag(help: "Go on: sync at once, shortly after each change on this machine, and at the interval.")
  var watch = false
  @Option(
    help: ArgumentHelp(
      "With --watch, the time between two syncs, up to 20 % shorter or longer, such as 90s, 15m or 2h. Default: 15m.",
      valueName: "time"))
  var interval: SyncInterval?

  /// Returns the command of a plain command line, or nil to read it with ArgumentParser; see ``PlainArguments``.
  ///
  /// - Parameter arguments: The arguments of `coffer-sync`.
  /// - Returns: The command with all of its properties.
  static func read(_ arguments: ArraySlice<String>) -> SyncCommand? {
    guard arguments.first == "sync",
      let plain = PlainArguments(
        arguments.dropFirst(), options: ["--vault"], flags: ["--json", "--progress", "--verbose"]),
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
    command.watch = false
    command.interval = nil
    return command
  }

  func validate() throws {
    if watch, json || progress { throw ValidationError("--watch prints neither a report nor the progress") }
    if !watch, interval != nil { throw ValidationError("--interval is for --watch") }
  }

  func run() throws {
    if watch { return try WatchedSync(options, remote.access).run(every: interval ?? .standard) }
    let report: SyncReport
    do throws(VaultError) {
      report = try sync()
    } catch {
      // A program decides by the code of the error, which standard error does not have.
      if json { try FileHandle.standardOutput.write(contentsOf: SyncError(error).json()) }
      throw error
    }
    try report.print(asJSON: json)
  }

  private func sync() throws(VaultError) -> SyncReport {
    let meter = ProgressMeter(printsJSON: progress)
    defer { meter.finish() }
    let interruption = Interruption.observe()
    return try VaultSync(
      options.folder, access: remote.access, cancellation: interruption.cancellation, logger: options.logger
    ).run { meter.show($0) }
  }
}

extension SyncInterval: ExpressibleByArgument {
  init?(argument: String) { self.init(argument) }
}
