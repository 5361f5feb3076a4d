internal import ArgumentParser
internal import CofferExchange
internal import CofferSystem
internal import CofferVault
internal import Foundation

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
    let (local, repairs) = try StoreRepair.openRepairing(options.folder, logger: options.logger)
    let meter = ProgressMeter(printsJSON: progress)
    let report: SyncReport
    do {
      defer { meter.finish() }
      let interruption = Interruption.observe()
      report = try Synchronizer(
        local, access: remote.access, cancellation: interruption.cancellation, repairs: repairs, logger: options.logger,
        progress: { meter.show($0) }
      ).compact(keepingBranch: keep)
    }
    try report.print(asJSON: json)
  }
}
