internal import ArgumentParser
internal import CofferVault
internal import CofferExchange

struct RemoteSetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "set", abstract: "Set the remote.")
  @OptionGroup var options: VaultOptions
  @OptionGroup var remote: RemoteAccessOptions
  @Flag(help: "Use the repository although it contains something else than this vault.")
  var force = false
  @Argument(help: "The repository's URL or path.")
  var url: String

  func run() throws {
    let interruption = Interruption.observe()
    let outcome = try RemoteSetting(
      LocalVault.open(options.folder), access: remote.access, cancellation: interruption.cancellation
    ).set(url, isShared: force)
    print("The remote is \(outcome.url). Next: coffer sync")
    if let doubt = outcome.doubt { Program.printNote("The remote was not checked: \(doubt)") }
  }
}
