internal import ArgumentParser
internal import Coffer
internal import CofferVault

struct SyncCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "Fetch what other machines wrote, and push what this one did.")
  @Flag(help: "Print JSON.")
  var json = false
  @Flag(help: "Say what is going on, step by step.")
  var verbose = false

  func run() throws {
    _ = try VaultFolder(.standard()).openStore()
    try SyncProgram.replaceProcess(["sync"] + (json ? ["--json"] : []) + (verbose ? ["--verbose"] : []))
  }
}
