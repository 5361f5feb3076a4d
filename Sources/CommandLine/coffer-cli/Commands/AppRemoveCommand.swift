internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferTerminal
internal import CofferVault

struct AppRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove an app from the vault.",
    discussion: """
      Nothing that the app writes from now on counts, and it gets no new keys. Its items stay. What it could read before, it \
      may have kept.

      What it wrote before stays valid. If it goes on writing while this command runs, what arrives late is refused, even \
      if it was written before: see `coffer refused`, which can also adopt it.
      """,
    aliases: ["rm"])
  @Argument(help: "A full application identifier, or a bundle identifier.")
  var app: String
  @Option(
    help: ArgumentHelp(
      "Only on this machine: the app stays registered, and keeps its rights on others.", valueName: "name"))
  var device: String?
  @OptionGroup var removal: RemovalOptions

  func run() throws {
    let local = try LocalVault.open(VaultFolder(.standard()))
    let subject = Removal.Subject.app(
      try local.application(named: app), on: try device.map(local.memberMachine(named:)))
    let place = device.map { "on \(Output.cell($0))" } ?? "of the vault"
    try removal.run(local, subject) { _ in "\(Output.cell(app)) is removed \(place)." }
  }
}
