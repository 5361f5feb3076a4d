internal import ArgumentParser
internal import Coffer

struct RemoteShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "show", abstract: "Print the remote.")

  func run() throws {
    guard let remote = try VaultStatus(LocalVault(VaultFolder(.standard()))).remote else {
      throw VaultError(.itemNotFound, "this vault has no remote", mend: "set one with: coffer remote set URL")
    }
    try Output.line(Output.cell(remote))
  }
}
