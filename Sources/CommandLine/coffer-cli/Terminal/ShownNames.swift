internal import Coffer
internal import CofferInspection
internal import CofferTerminal
internal import CofferTrust
internal import CofferVault

/// The names of access groups and writers in tables: whole in a pipe, and on a terminal without the vault's team, with which
/// all of them begin.
struct ShownNames {
  private let team: TeamNames?

  init(_ local: LocalVault) throws(VaultError) {
    team = Terminal.isOutput ? TeamNames(team: try local.membership().team.description) : nil
  }

  /// Returns the name of an access group.
  func group(_ name: String) -> String { team?.short(name) ?? name }

  /// Returns who wrote a version, and on which machine.
  func writer(_ writer: ItemWriter) -> String { writer.words(application: group, machine: Output.name) }
}
