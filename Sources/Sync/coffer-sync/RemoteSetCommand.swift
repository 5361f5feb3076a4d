internal import ArgumentParser
internal import CofferVault
internal import CofferExchange

struct RemoteSetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "set", abstract: "Set the remote.")
  @OptionGroup var options: VaultOptions
  @OptionGroup var remote: RemoteAccessOptions
  @Flag(help: "Use the repository although it contains something else than this vault, or its check has failed.")
  var force = false
  @Argument(help: "The repository's URL or path.")
  var url: String

  func run() throws {
    let interruption = Interruption.observe()
    let outcome = try RemoteSetting(
      LocalVault.open(options.folder), access: remote.access, cancellation: interruption.cancellation
    ).set(url, isForced: force)
    try StandardOutput.line("The remote is \(outcome.url). Next: coffer sync")
    guard let doubt = outcome.doubt else { return }
    Program.printNote("\(outcome.isAnswered ? "The remote has a fault" : "The remote was not checked"): \(doubt)")
  }
}
