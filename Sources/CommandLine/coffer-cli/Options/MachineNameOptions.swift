internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferPlatform
internal import CofferTerminal

/// The name of a new machine.
struct MachineNameOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The name of this machine in lists. Default: its host name.", valueName: "name"))
  var name: String?

  var chosen: String { name ?? VaultCreation.defaultDeviceName }

  /// Returns a sentence if this machine was enrolled under another name than the wanted one.
  func note(on status: VaultStatus, wanted: String) -> String? {
    guard let name = status.machines.first(where: \.isThisMachine)?.name, name != wanted else { return nil }
    return "The name \(Output.cell(wanted)) is in use; this machine is \(Output.cell(name))."
  }
}
