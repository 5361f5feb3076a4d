internal import ArgumentParser
internal import CofferVault
internal import CofferGit
internal import CofferSync
internal import Foundation

struct SyncCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "Fetch the changes of other machines and push those of this one.")
  @OptionGroup var options: VaultOptions
  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let (local, repairs) = try StoreRepair.openRepairing(options.folder, logger: options.logger)
    let meter = ProgressMeter()
    let report: SyncReport
    do {
      defer { meter.finish() }
      let interruption = Interruption.observe()
      report = try Synchronizer(
        local, cancellation: interruption.cancellation, repairs: repairs, logger: options.logger, progress: meter.show
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
