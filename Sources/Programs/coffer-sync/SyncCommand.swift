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
    command.remote = RemoteAccessOptions()
    command.json = plain.has("--json")
    command.progress = plain.has("--progress")
    return command
  }

  func run() throws {
    let (local, repairs) = try StoreRepair.openRepairing(options.folder, logger: options.logger)
    let meter = ProgressMeter(printsJSON: progress)
    let report: SyncReport
    do {
      defer { meter.finish() }
      let interruption = Interruption.observe()
      report = try Synchronizer(
        local, access: remote.access, cancellation: interruption.cancellation, repairs: repairs, logger: options.logger,
        progress: meter.show
      ).run()
    }
    if json {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      try FileHandle.standardOutput.write(contentsOf: try encoder.encode(report) + Data("\n".utf8))
    } else {
      for line in report.summary { print(line) }
    }
    for problem in report.problems { Program.printError(problem) }
    if report.membershipDiscarded > 0 && !json {
      Program.printError(
        "\(report.membershipDiscarded) membership changes of this machine were discarded because another machine's came "
          + "first; make them again")
    }
    if !report.problems.isEmpty { throw ExitCode(6) }
  }
}
