internal import ArgumentParser
internal import Coffer
internal import CofferTerminal
internal import CofferVault

struct SyncCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "Fetch the changes of other machines and push those of this one.",
    discussion: """
      With --watch, it goes on until Ctrl-C: it syncs at once, two seconds after a change on this machine, and at the \
      interval. While the remote cannot be reached, it tries again after growing waits, and when the network has \
      changed. It prints a line for each event. `coffer service install` runs it in the background.

      coffer sync
      coffer sync --json
      coffer sync --watch --interval 5m
      """)
  @OptionGroup var output: ReportOptions
  @Flag(help: "Print the progress on standard error, as lines of JSON.")
  var progress = false
  @Flag(help: "Go on: sync at once, shortly after each change on this machine, and at the interval.")
  var watch = false
  @Option(
    help: ArgumentHelp(
      "With --watch, the time between two syncs, up to 20 % shorter or longer, such as 90s, 15m or 2h. Default: 15m.",
      valueName: "time"))
  var interval: SyncInterval?
  @Flag(help: "Log each step.")
  var verbose = false
  @OptionGroup var remote: RemoteAccessOptions

  func run() throws { try SyncProgram.replaceProcess() }

  func validate() throws {
    if watch, output.json || progress { throw ValidationError("--watch prints neither a report nor the progress") }
    if !watch, interval != nil { throw ValidationError("--interval is for --watch") }
  }
}

extension SyncInterval: ExpressibleByArgument {
  init?(argument: String) { self.init(argument) }
}

struct CompactCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact", abstract: "Continue the vault on a new branch of the repository, without its history.",
    discussion: """
      Syncs first. The new branch begins with a snapshot of what counts, and every machine follows it with its next sync. \
      An admin's machine does that by itself when the history has become large. The branch before is deleted if the host \
      allows it; the host may still keep what was on it.

      A machine that was absent, and a new one, does not get the values of versions that were superseded before. Those that \
      have them keep them for 30 days.
      """)
  @Flag(help: "Keep the branch with the history until now.")
  var keep = false
  @OptionGroup var output: ReportOptions
  @Flag(help: "Print the progress on standard error, as lines of JSON.")
  var progress = false
  @Flag(help: "Log each step.")
  var verbose = false
  @OptionGroup var remote: RemoteAccessOptions

  func run() throws { try SyncProgram.replaceProcess() }
}
