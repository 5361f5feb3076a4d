internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferTerminal
internal import CofferVault

struct RemoteShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "show", abstract: "Print the remote.")
  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let local = try LocalVault.openForReading(warn: Terminal.printError)
    let remote = try local.requiredRemote(or: .itemNotFound)
    let options = try local.remoteOptions()
    guard !json else {
      return try Output.json(object: [
        "url": remote, "certificateAuthorityFile": options.certificateAuthorityFile,
        "allowsInsecureHTTP": options.allowsInsecureHTTP,
      ])
    }
    try Output.line(Output.cell(remote))
    if let file = options.certificateAuthorityFile {
      try Output.line("Certificate authorities: \(Output.cell(file)), instead of those of the system")
    }
    if options.allowsInsecureHTTP { try Output.line("Without encryption: allowed (--insecure-http)") }
  }
}
