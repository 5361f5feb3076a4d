internal import ArgumentParser
internal import CofferTerminal

struct SecretServiceRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "End the Secret Service of Coffer, and delete its files.",
    discussion: """
      The passwords stay in the vault, and `coffer list` shows them. `coffer secret-service status` says, before, how \
      gnome-keyring, KWallet or KeePassXC gets its place back.
      """)
  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let files = try SecretServiceInstallation.find().remove()
    guard !json else { return try Output.json(object: ["files": files]) }
    guard !files.isEmpty else { return try Output.line("The Secret Service was not installed.") }
    for file in files { try Output.line("Deleted \(Output.cell(file))") }
  }
}
