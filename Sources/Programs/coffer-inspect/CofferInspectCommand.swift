internal import ArgumentParser
internal import CofferVault

@main
struct CofferInspectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "coffer-inspect", version: CofferVersion.text)

  func run() throws {}
}
