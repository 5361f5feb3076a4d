internal import ArgumentParser
internal import CofferVault
internal import CofferExchange
internal import CofferSystem

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
    try PrintedSync(options, remote, asJSON: json, progress: progress).run { (sync, show) throws(VaultError) in
      try sync.run(progress: show)
    }
  }
}

extension SyncInterval: ExpressibleByArgument {
  init?(argument: String) { self.init(argument) }
}
