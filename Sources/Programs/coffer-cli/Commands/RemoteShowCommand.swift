internal import ArgumentParser
internal import Coffer
internal import CofferTerminal
internal import CofferVault

struct RemoteShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "show", abstract: "Print the remote.")

  func run() throws {
    guard let remote = try VaultStatus.read(from: LocalVault.openForReading(warn: Terminal.printError)).remote else {
      throw VaultError(
        .itemNotFound, "this vault has no remote", recoverySuggestion: "set one with: coffer remote set URL")
    }
    try Output.line(Output.cell(remote))
  }
}
