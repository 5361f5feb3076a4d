internal import ArgumentParser
internal import CofferVault
internal import CofferSync

struct RemoteSetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "set", abstract: "Set the remote.")
  @OptionGroup var options: VaultOptions
  @Argument(help: "The repository's URL or path.")
  var url: String

  func run() throws {
    let remote = try RemoteSetting(LocalVault.open(options.folder)).set(url)
    print("The remote is \(remote). Next: coffer sync")
  }
}
