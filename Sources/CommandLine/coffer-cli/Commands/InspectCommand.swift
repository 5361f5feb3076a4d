internal import ArgumentParser
internal import Coffer
internal import CofferTerminal

struct InspectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect", abstract: "Show the vault in a browser.",
    discussion: """
      Starts a server that only this machine reaches, and opens the browser with an address that works once. The page \
      shows items, apps, machines and the log, and changes items. No request goes to another host.

      Ends by Ctrl-C, by "Lock and end" in the page, or after a time without use. To lock the vault at once, for example \
      with the screen:

      coffer lock
      """)
  @OptionGroup var options: InspectOptions

  func run() throws {
    try SiblingProgram.replaceProcess(by: "coffer-inspect", arguments: options.arguments)
  }
}
