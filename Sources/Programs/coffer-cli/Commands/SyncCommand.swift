internal import ArgumentParser
internal import Coffer
internal import CofferTerminal
internal import CofferVault

struct SyncCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "Fetch the changes of other machines and push those of this one.")
  @Flag(help: "Print JSON.")
  var json = false
  @Flag(help: "Print the progress on standard error, as lines of JSON.")
  var progress = false
  @Flag(help: "Log each step.")
  var verbose = false
  @OptionGroup var remote: RemoteAccessOptions

  func run() throws {
    try SiblingProgram.replaceProcess(
      by: SyncProgram.name,
      arguments: ["sync"] + (json ? ["--json"] : []) + (progress ? ["--progress"] : [])
        + (verbose ? ["--verbose"] : []) + remote.arguments)
  }
}
