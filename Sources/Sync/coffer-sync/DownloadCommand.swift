internal import ArgumentParser
internal import CofferPlatform
internal import CofferSystem
internal import CofferVault
internal import CofferGit
internal import CofferExchange

struct DownloadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "download", abstract: "Download a vault's sealed objects for `coffer clone`.", shouldDisplay: false)
  @OptionGroup var remote: RemoteAccessOptions
  @Option(help: "The folder to write them to.")
  var into: String
  @Argument(help: "The repository's URL or path.")
  var url: String

  func run() throws {
    let meter = ProgressMeter()
    defer { meter.finish() }
    let interruption = Interruption.observe()
    let problems = try VaultDownload(
      access: remote.access, cancellation: interruption.cancellation, progress: meter.show
    ).run(from: url, into: VaultFolder(URL(fileURLWithPath: into, isDirectory: true)))
    meter.finish()
    // The vault may continue on one of them, or it has the entry that removes a machine.
    for problem in problems { Program.printError(problem.sanitizedForTerminal(limit: 500)) }
  }
}

struct DownloadContentsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "download-contents", abstract: "Write the objects of a download that `coffer clone` asks for.",
    shouldDisplay: false)
  @Option(help: "The folder of the download.")
  var into: String

  func run() throws { try VaultDownload.writeWanted(in: VaultFolder(URL(fileURLWithPath: into, isDirectory: true))) }
}
