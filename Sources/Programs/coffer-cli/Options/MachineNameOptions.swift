internal import ArgumentParser
internal import Foundation

/// The name of a new machine.
struct MachineNameOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The name of this machine in lists. Default: its host name.", valueName: "name"))
  var name: String?

  var chosen: String {
    if let name { return name }
    let host = ProcessInfo.processInfo.hostName
    return host.isEmpty ? "machine" : String(host.prefix(64))
  }
}
