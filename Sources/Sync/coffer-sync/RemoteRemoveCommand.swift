internal import ArgumentParser
internal import CofferExchange
internal import CofferVault

struct RemoteRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "remove", abstract: "Forget the remote.")
  @OptionGroup var options: VaultOptions

  func run() throws {
    let url = try RemoteRemoval(LocalVault.open(options.folder)).run()
    print("This vault has no remote any more, and stays on this machine. \(url) keeps what was sent to it.")
  }
}
